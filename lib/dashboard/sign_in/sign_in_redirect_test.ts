import { assertEquals } from "@std/assert";
import { safeRedirectPath, signInRedirect } from "./sign_in_redirect.ts";

const ORIGIN = "http://127.0.0.1:8000";
const baseUrl = "https://chat.example.com";

function addressOf(method: string, path: string, referer?: string): string {
  const url = new URL(path, ORIGIN);
  const req = new Request(url, { method, headers: referer === undefined ? {} : { referer } });
  return decodeURIComponent(signInRedirect(req, { url, baseUrl }));
}

Deno.test("signInRedirect: leads back to the requested page", () => {
  assertEquals(addressOf("GET", "/audit?kind=user"), "/sign-in?next=/audit?kind=user");
});

Deno.test("signInRedirect: leads back to the page of a submitted form, marked as interrupted", () => {
  const sent = (referer?: string) => addressOf("POST", "/agents/check", referer);
  assertEquals(
    sent(`${ORIGIN}/agents/1?notice=agent_saved&a=b`),
    "/sign-in?next=/agents/1?a=b&interrupted=yes",
  );
  assertEquals(sent(`${baseUrl}/agents/1`), "/sign-in?next=/agents/1&interrupted=yes");
});

Deno.test("signInRedirect: never leads to another site or a sign-in page", () => {
  const away = ["https://evil.example/agents", `${ORIGIN}//evil.example`, `${ORIGIN}/sign-in`, "x"];
  for (const referer of [undefined, ...away]) {
    assertEquals(
      addressOf("POST", "/agents/new", referer),
      "/sign-in?next=/home&interrupted=yes",
      referer,
    );
  }
});

Deno.test("safeRedirectPath: keeps a path on this site with its query", () => {
  assertEquals(safeRedirectPath("/agents?cursor=a", "/"), "/agents?cursor=a");
  assertEquals(safeRedirectPath("/agents/1#top", "/"), "/agents/1");
});

Deno.test("safeRedirectPath: uses the fallback for everything else", () => {
  const bad = [null, "", "agents", "//evil.example", "/\\evil.example", "https://evil.example"];
  const odd = ["/\t/evil.example", "\t//evil.example", "/\n//evil.example", "javascript:alert(1)"];
  const loops = ["/sign-in", "/sign-out", "/setup", "/.//evil.example", "/a/..//evil.example"];
  for (const target of [...bad, ...odd, ...loops]) {
    assertEquals(safeRedirectPath(target, "/home"), "/home");
  }
});
