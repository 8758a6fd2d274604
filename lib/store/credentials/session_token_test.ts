import { assertEquals, assertMatch } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { claimedTenant, newSessionToken } from "./session_token.ts";

const { randomBytes } = new FakeRuntime();

Deno.test("newSessionToken: an opaque cs_ text of 67 characters that names its tenant", () => {
  const token = newSessionToken(fakeUuid(7), randomBytes);
  assertMatch(token, /^cs_[A-Za-z0-9_-]{64}$/);
  assertEquals(claimedTenant(token), fakeUuid(7));
});

Deno.test("claimedTenant: a malformed token has no tenant", () => {
  const token = newSessionToken(fakeUuid(7), randomBytes);
  for (const text of ["", "cs_", "cs_unknown", token.slice(0, -4), `${token}AAAA`, "cs_ö", "x"]) {
    assertEquals(claimedTenant(text), undefined, text);
  }
});
