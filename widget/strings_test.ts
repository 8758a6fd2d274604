import { assertEquals } from "@std/assert";
import { waitInWords } from "./strings.ts";

Deno.test("waitInWords: rounds up, so that it never promises too early", () => {
  const said = [1, 6, 59, 60, 61, 900, 3600, 3601].map(waitInWords);
  assertEquals(said, [
    "in a few seconds",
    "in about 10 seconds",
    "in about 60 seconds",
    "in about a minute",
    "in about 2 minutes",
    "in about 15 minutes",
    "in about an hour",
    "in about 2 hours",
  ]);
});
