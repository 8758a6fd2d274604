import { assertEquals } from "@std/assert";
import { refusal } from "./sign_in_refusal.ts";

Deno.test("refusal tells a locked pair when to come back, never too early", () => {
  const { status, headers, message } = refusal({ refused: "too_many_tries", retryAfterMs: 61_001 });
  assertEquals([status, headers["retry-after"]], [429, "62"]);
  assertEquals(message, "Too many tries. Wait 2 minutes, then try again.");
  const soon = refusal({ refused: "too_many_tries", retryAfterMs: 1 });
  assertEquals(soon.headers["retry-after"], "1");
});

Deno.test("refusal leaves the words to the fields where a field is at fault", () => {
  assertEquals(refusal({ refused: "wrong_token" }), { status: 400, headers: {} });
  assertEquals(refusal({ refused: "invalid", faults: {} }).message, undefined);
});
