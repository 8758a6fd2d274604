import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { clearSignInCookie, readSignInCookie, setSignInCookie } from "./sign_in_cookie.ts";

const HTTPS = { publicUrl: "https://chat.example.com" };

function roundTrip(config: { publicUrl?: string }): { header: string; read: string | undefined } {
  const answer = new Headers();
  setSignInCookie(answer, "token-1", config);
  const header = answer.get("set-cookie")!;
  const request = new Headers({ cookie: header.split(";")[0]! });
  return { header, read: readSignInCookie(request, config) };
}

Deno.test("setSignInCookie: is HttpOnly and SameSite", () => {
  const { header, read } = roundTrip({});
  assertEquals(read, "token-1");
  assertStringIncludes(header, "HttpOnly");
  assertStringIncludes(header, "SameSite=Lax");
  assertStringIncludes(header, "Path=/");
});

Deno.test("setSignInCookie: is Secure and has the __Host- prefix on https", () => {
  const { header, read } = roundTrip(HTTPS);
  assertEquals(read, "token-1");
  assertMatch(header, /^__Host-dashboard=token-1;.*Secure/);
  const cleared = new Headers();
  clearSignInCookie(cleared, HTTPS);
  assertMatch(cleared.get("set-cookie")!, /^__Host-dashboard=;.*Secure/);
});

Deno.test("readSignInCookie: ignores a malformed Cookie header", () => {
  assertEquals(readSignInCookie(new Headers({ cookie: "=oops" }), {}), undefined);
  assertEquals(readSignInCookie(new Headers(), {}), undefined);
});
