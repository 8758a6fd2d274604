import { assertEquals, assertThrows } from "@std/assert";
import { renderUrl } from "./render_url.ts";
import { createLookup } from "../template.ts";
import { ToolError } from "../tool_error.ts";

function urlOf(
  url: string,
  args: Record<string, unknown> = {},
  query?: Record<string, string>,
): string {
  const visitor = new Map<string, unknown>([["id", "a/../b?c#d@e.com"], ["plan", "a b"]]);
  const lookup = createLookup(args, { secrets: new Map([["KEY", "a&b=c"]]), visitor });
  return renderUrl({ url: `https://tools.example.com${url}`, query }, lookup).href
    .replace("https://tools.example.com", "");
}

Deno.test("renderUrl: arguments are encoded for their place", () => {
  const cases: [url: string, args: Record<string, unknown>, expected: string][] = [
    ["/items/{{id}}", { id: 7 }, "/items/7"],
    ["/items/{{id}}", { id: "a b?c#d&e" }, "/items/a%20b%3Fc%23d%26e"],
    ["/items/{{id}}.json", { id: "é" }, "/items/%C3%A9.json"],
    ["/repos/{{id}}/x", { id: "owner/name" }, "/repos/owner%2Fname/x"],
    ["/items/{{id}}", { id: "100%" }, "/items/100%25"],
    ["/items/{{id}}", { id: "..." }, "/items/..."],
    ["/find?q={{q}}&n=1", { q: "a&n=2#x" }, "/find?q=a%26n%3D2%23x&n=1"],
    ["/find?q={{q}}&n=1", {}, "/find?n=1"],
    ["/find?q={{q}}", {}, "/find"],
    ["/find?q={{q}}", { q: "\ud800" }, "/find?q=%EF%BF%BD"],
    ["/a#{{q}}", { q: "x" }, "/a"],
  ];
  for (const [url, args, expected] of cases) assertEquals(urlOf(url, args), expected, url);
});

Deno.test("renderUrl: query fields are appended with encoded secrets, omitted arguments are dropped", () => {
  const query = { q: "{{q}}", k: "{{secret.KEY}}", both: "a&{{q}}/{{x}}", "n n": "a=b c" };
  assertEquals(
    urlOf("/f?own=1", { q: "1 2" }, query),
    "/f?own=1&q=1%202&k=a%26b%3Dc&n%20n=a%3Db%20c",
  );
  assertEquals(urlOf("/f", { q: "1", x: 2 }, { both: "a&{{q}}/{{x}}" }), "/f?both=a%261%2F2");
});

Deno.test("renderUrl: an argument cannot leave its path segment and is required in it", () => {
  const tricks = [
    "",
    ".",
    "..",
    "/",
    "a/",
    "/a",
    "../a",
    "a/../b",
    "a/./b",
    "a//b",
    "%2e%2e",
    "%2E",
    "..%2fa",
    "a%2Fb",
    "%252e%252e%252fa",
    "..\\a",
    "a\\b",
    "%5c",
    "a\0b",
    "%00",
    "a\r\nb",
    undefined,
    null,
  ];
  for (const id of tricks) {
    const call = () => urlOf("/x/{{id}}/y", { id });
    const error = assertThrows(call, ToolError, undefined, JSON.stringify(id));
    assertEquals(error.code, "tool_invalid_arguments");
  }
  assertThrows(() => urlOf("/x/.{{id}}/y", { id: "." }), ToolError);
  assertThrows(() => urlOf("/x/%2e{{id}}/y", { id: "." }), ToolError);
  assertThrows(() => urlOf("/x/{{a}}{{b}}", { a: ".", b: "." }), ToolError);
});

Deno.test("renderUrl: arguments cannot form an escape together or with adjacent text", () => {
  const tricks: [url: string, args: Record<string, string>][] = [
    ["/x/{{a}}{{b}}/y", { a: "%", b: "2e" }],
    ["/x/{{a}}{{b}}/y", { a: "%2", b: "F" }],
    ["/x/{{a}}{{b}}/y", { a: "%25", b: "2e" }],
    ["/x/{{a}}{{b}}{{a}}{{b}}/y", { a: "%", b: "2e" }],
    ["/x/{{a}}2e/y", { a: "%" }],
    ["/x/%25{{a}}/y", { a: "2f" }],
    ["/x/%2{{a}}/y", { a: "f" }],
    ["/x/{{a}}25{{b}}/y", { a: "%", b: "5c" }],
  ];
  for (const [url, args] of tricks) {
    assertThrows(() => urlOf(url, args), ToolError, undefined, `${url} ${args.a}`);
  }
  const honest: [url: string, args: Record<string, string>, expected: string][] = [
    ["/x/{{a}}{{b}}/y", { a: "100%", b: " off" }, "/x/100%25%20off/y"],
    ["/x/owner%2F{{a}}/y", { a: "2e" }, "/x/owner%2F2e/y"],
    ["/x/%252F{{a}}/y", { a: "a" }, "/x/%252Fa/y"],
    ["/x/{{a%2eb}}/y", { "a%2eb": "c" }, "/x/c/y"],
  ];
  for (const [url, args, expected] of honest) assertEquals(urlOf(url, args), expected, url);
});

Deno.test("renderUrl: a secret may not appear in the URL template", () => {
  assertThrows(() => urlOf("/x/{{secret.KEY}}"), ToolError, "secret");
  assertThrows(() => urlOf("/x?k={{secret.KEY}}"), ToolError, "secret");
});

Deno.test("renderUrl: a visitor's value is encoded and cannot leave its path segment", () => {
  assertEquals(urlOf("/a/{{visitor.plan}}/b", {}), "/a/a%20b/b");
  assertEquals(urlOf("/a?x={{visitor.id}}", {}), "/a?x=a%2F..%2Fb%3Fc%23d%40e.com");
  const query = { id: "{{visitor.id}}", none: "{{visitor.none}}" };
  assertEquals(urlOf("/a", {}, query), "/a?id=a%2F..%2Fb%3Fc%23d%40e.com");
  for (const path of ["/a/{{visitor.id}}/b", "/a/{{visitor.none}}"]) {
    const error = assertThrows(() => urlOf(path, { "visitor.none": "forged" }), ToolError);
    assertEquals(error.message.includes("@"), false, "the value is not in the error");
  }
});
