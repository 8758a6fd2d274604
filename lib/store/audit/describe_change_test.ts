import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describeChange } from "./describe_change.ts";

Deno.test("describeChange: lists each changed field, nested ones by path", () => {
  const before = { name: "A", modelPolicy: { provider: "vendor_a", model: "big" }, tools: [] };
  const after = { name: "A", modelPolicy: { provider: "vendor_a", model: "small" }, tools: [1] };
  assertEquals(describeChange(before, after), [
    { field: "modelPolicy.model", before: "big", after: "small" },
    { field: "tools", before: "[]", after: "[1]" },
  ]);
});

Deno.test("describeChange: an added or removed field has one side only", () => {
  assertEquals(describeChange({ fallback: { model: "x" } }, {}), [
    { field: "fallback.model", before: "x" },
  ]);
  assertEquals(describeChange(undefined, { name: "A" }), [{ field: "name", after: "A" }]);
});

Deno.test("describeChange: omits credentials in headers, queries and texts", () => {
  const headers = { authorization: "Token tops3cret", "x-key": "{{secret.CRM_KEY}}" };
  const mixed = {
    a: "tops3cret:{{user}}",
    b: "Token {{secret.TOKEN}}",
    c: "{{a}}-tops3cret",
    d: "tops3cret {{b}}",
  };
  const tools = [
    { request: { headers, query: { key: "tops3cret" } } },
    { request: { headers: mixed } },
  ];
  const said = JSON.stringify(
    describeChange({}, { tools, systemPrompt: "use ck_live_abcdefgh_tops3cret please" }),
  );
  assert(!said.includes("tops3cret"), said);
  assertStringIncludes(said, "{{secret.CRM_KEY}}");
  assertStringIncludes(said, "[left out]{{user}}");
  assertStringIncludes(said, "Token {{secret.TOKEN}}");
});

Deno.test("describeChange: the description of a large change is small", () => {
  const body = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`field${n}`, "\u{1f980}".repeat(5_000)]),
  );
  const changes = describeChange({}, body);
  assertEquals(changes.length, 40);
  assert(changes.every(({ after }) => after!.isWellFormed()));
  assert(new TextEncoder().encode(JSON.stringify(changes)).length < 50_000);
});
