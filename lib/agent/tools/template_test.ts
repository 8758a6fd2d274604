import { assertEquals } from "@std/assert";
import { createLookup, fillBody, fillTemplate, secretNames } from "./template.ts";

const lookup = createLookup(
  { n: 3, text: "a{{secret.KEY}}b", list: [1, 2], none: null, secret: "own", yes: true },
  new Map([["KEY", "s3cret"]]),
);

Deno.test("fillTemplate: each placeholder takes its argument as text", () => {
  assertEquals(fillTemplate("{{n}}-{{yes}}-{{list}}", lookup), "3-true-[1,2]");
  assertEquals(fillTemplate("key {{secret.KEY}} {{secret}}", lookup), "key s3cret own");
  assertEquals(fillTemplate("{{ n }} {n} {{}}", lookup), "{{ n }} {n} {{}}");
});

Deno.test("fillTemplate: a value that looks like a placeholder stays text", () => {
  assertEquals(fillTemplate("{{text}}", lookup), "a{{secret.KEY}}b");
});

Deno.test("fillTemplate: an argument left out takes its field with it", () => {
  for (const name of ["missing", "none", "constructor", "__proto__", "secret.OTHER"]) {
    assertEquals(fillTemplate(`x{{${name}}}`, lookup), undefined, name);
  }
});

Deno.test("fillBody: a string that is a placeholder takes the typed value", () => {
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

Deno.test("secretNames: every secret a request names, wherever it stands", () => {
  const request = {
    headers: { a: "{{secret.A}} {{secret.B}}" },
    body: [{ b: "{{secret.A}}" }, "{{c}}"],
  };
  assertEquals(secretNames(request), ["A", "B"]);
  assertEquals(secretNames(undefined), []);
});
