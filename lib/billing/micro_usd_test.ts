import { assertEquals } from "@std/assert";
import { toUsd } from "./micro_usd.ts";

Deno.test("toUsd: converts micro-USD to USD", () => {
  assertEquals(toUsd(1), 0.000001);
  assertEquals(toUsd(750_000), 0.75);
  assertEquals(toUsd(0), 0);
});
