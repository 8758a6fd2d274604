import { assert, assertEquals } from "@std/assert";
import { redactErrorBody } from "./provider_failure.ts";

for (
  const [words, safe] of [
    ["key own-credential is bad, own-credential!", "key [secret] is bad, [secret]!"],
    ["Incorrect API key provided: sk-proj-ab********wxyz.", "Incorrect API key provided: [secret]"],
    ["AIzaSyA-1234567890_bcdef", "[secret]"],
    ['{"api_key": "abc123"}', '{"api_key": "[secret]"}'],
    ["GET /v1?key=abc123&alt=sse", "GET /v1?key=[secret]&alt=sse"],
    ["Authorization: Bearer abc123", "Authorization: Bearer [secret]"],
    ["model not found", "model not found"],
  ] as const
) {
  Deno.test(`redactErrorBody: ${words}`, () =>
    assertEquals(redactErrorBody(words, ["own-credential"]), safe));
}

Deno.test("redactErrorBody: limits the length to 2 KiB without splitting a character", () => {
  const safe = redactErrorBody("🗼".repeat(2000), ["own"]);
  assert(new TextEncoder().encode(safe).length <= 2048);
  assertEquals(safe.length % 2, 0);
  assert(!safe.includes("�"));
});

Deno.test("redactErrorBody: a truncated body ends with no part of a credential", () => {
  const key = "own-credential-".repeat(10);
  assertEquals(redactErrorBody(key.repeat(40).slice(0, 4096), [key]).includes("own-"), false);
});
