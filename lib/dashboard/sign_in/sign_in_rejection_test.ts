import { assertEquals } from "@std/assert";
import { signInRejection } from "./sign_in_rejection.ts";

Deno.test("signInRejection: says when to try again, never too early", () => {
  const { status, headers, message } = signInRejection({
    rejected: "too_many_tries",
    retryAfterMs: 61_001,
  });
  assertEquals([status, headers["retry-after"]], [429, "62"]);
  assertEquals(message, "Too many attempts. Wait 2 minutes, then try again.");
  const soon = signInRejection({ rejected: "too_many_tries", retryAfterMs: 1 });
  assertEquals(soon.headers["retry-after"], "1");
});

Deno.test("signInRejection: has no message if a field has one", () => {
  assertEquals(signInRejection({ rejected: "wrong_token" }), { status: 400, headers: {} });
  assertEquals(signInRejection({ rejected: "invalid", issues: {} }).message, undefined);
});
