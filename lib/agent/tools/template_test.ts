import { assertEquals } from "@std/assert";
import { createLookup, fillBody, fillTemplate, secretNames } from "./template.ts";

const lookup = createLookup(
  { n: 3, text: "a{{secret.KEY}}b", list: [1, 2], none: null, secret: "own", yes: true },
  { secrets: new Map([["KEY", "s3cret"]]), visitor: new Map() },
);

Deno.test("fillTemplate: replaces each placeholder with its argument as text", () => {
  assertEquals(fillTemplate("{{n}}-{{yes}}-{{list}}", lookup), "3-true-[1,2]");
  assertEquals(fillTemplate("key {{secret.KEY}} {{secret}}", lookup), "key s3cret own");
  assertEquals(fillTemplate("{{ n }} {n} {{}}", lookup), "{{ n }} {n} {{}}");
});

Deno.test("fillTemplate: a value that looks like a placeholder stays text", () => {
  assertEquals(fillTemplate("{{text}}", lookup), "a{{secret.KEY}}b");
});

Deno.test("fillTemplate: returns undefined if an argument was omitted", () => {
  for (const name of ["missing", "none", "constructor", "__proto__", "secret.OTHER"]) {
    assertEquals(fillTemplate(`x{{${name}}}`, lookup), undefined, name);
  }
});

Deno.test("fillBody: a string that is one placeholder becomes the typed value", () => {
  const body = {
    n: "{{n}}",
    text: "n is {{n}}",
    list: ["{{list}}", "{{missing}}", 7],
    none: "{{none}}",
    gone: "{{missing}}",
    inner: { gone: "{{missing}}", key: "{{secret.KEY}}" },
    raw: [null, true, "{{n}}{{n}}"],
  };
  assertEquals(fillBody(body, lookup), {
    n: 3,
    text: "n is 3",
    list: [[1, 2], 7],
    none: null,
    inner: { key: "s3cret" },
    raw: [null, true, "33"],
  });
  assertEquals(fillBody("{{missing}}", lookup), undefined);
});

Deno.test("secretNames: finds every secret in a request", () => {
  const request = {
    headers: { a: "{{secret.A}} {{secret.B}}" },
    body: [{ b: "{{secret.A}}" }, "{{c}}"],
  };
  assertEquals(secretNames(request), ["A", "B"]);
  assertEquals(secretNames(undefined), []);
});
