import { assertEquals, assertThrows } from "@std/assert";
import { fileToPattern, patternToScope } from "./patterns.ts";

Deno.test("fileToPattern turns names of route files into patterns", () => {
  const cases = [
    ["index", "/"],
    ["about", "/about"],
    ["widget.v1.js", "/widget.v1.js"],
    ["widget.v1.[hash].js", "/widget.v1.:hash.js"],
    ["blog/index", "/blog"],
    ["v1/agents/[id]", "/v1/agents/:id"],
    ["[...rest]", "/:rest*"],
    ["docs/[...rest]", "/docs/:rest*"],
    ["a-[x].b", "/a-:x.b"],
    ["(admin)/index", "/"],
    ["(admin)/users", "/users"],
  ];
  for (const [file = "", pattern] of cases) assertEquals(fileToPattern(file), pattern, file);
});

Deno.test("fileToPattern keeps groups for scopes", () => {
  assertEquals(fileToPattern("(admin)/users", { keepGroups: true }), "/(admin)/users");
});

Deno.test("fileToPattern rejects ambiguous names and optional parameters", () => {
  for (const name of ["[a][b]", "[[a]]", "x-[[a]]", "[[a]]-x", "[a", "a]"]) {
    assertThrows(() => fileToPattern(name), SyntaxError);
  }
});

Deno.test("patternToScope omits the last segment by default", () => {
  assertEquals(patternToScope("/a/b", false), ["a"]);
  assertEquals(patternToScope("/a/b", true), ["a", "b"]);
  assertEquals(patternToScope("/a/", false), ["a"]);
  for (const root of ["*", "/*", "/", ""]) assertEquals(patternToScope(root, true), []);
});
