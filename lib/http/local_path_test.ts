import { assertEquals } from "@std/assert";
import { safeRedirectPath } from "./local_path.ts";

Deno.test("localPath keeps a path on this site with its query", () => {
  assertEquals(safeRedirectPath("/agents?cursor=a", "/"), "/agents?cursor=a");
  assertEquals(safeRedirectPath("/agents/1#top", "/"), "/agents/1");
});

Deno.test("localPath falls back for everything that leads elsewhere or nowhere", () => {
  const bad = [null, "", "agents", "//evil.example", "/\\evil.example", "https://evil.example"];
  const odd = ["/\t/evil.example", "\t//evil.example", "/\n//evil.example", "javascript:alert(1)"];
  const loops = ["/sign-in", "/sign-out", "/setup", "/.//evil.example", "/a/..//evil.example"];
  for (const target of [...bad, ...odd, ...loops]) {
    assertEquals(safeRedirectPath(target, "/home"), "/home");
  }
});
