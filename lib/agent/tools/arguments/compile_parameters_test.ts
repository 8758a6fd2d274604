import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { compileParameters } from "./compile_parameters.ts";

function checkOf(parameters: Record<string, unknown>) {
  const compiled = compileParameters({ type: "object", ...parameters });
  assert("check" in compiled, JSON.stringify(compiled));
  return compiled.check;
}

function faultOf(parameters: Record<string, unknown>) {
  const compiled = compileParameters({ type: "object", ...parameters });
  assert("path" in compiled);
  return compiled;
}

const COSTLY = "the arguments cost too much to check against the tool's schema";

Deno.test("compileParameters: the check says where arguments differ from the schema", () => {
  const check = checkOf({
    properties: { n: { type: "integer", minimum: 1 }, kind: { enum: ["a", "b"] } },
    required: ["n"],
    additionalProperties: false,
  });
  assertEquals(check({ n: 1, kind: "a" }), undefined);
  assertEquals(check({ n: 0 }), "n must be >= 1");
  assertEquals(check({ n: "1" }), "n must be integer");
  assertEquals(check({}), "the arguments must have required property 'n'");
  assertEquals(check({ n: 1, x: 1 }), "the arguments must NOT have additional properties: x");
  assertEquals(
    check({ n: 1, kind: "c" }),
    'kind must be equal to one of the allowed values: ["a","b"]',
  );
});

Deno.test("compileParameters: words of 2020-12 hold, format is an annotation", () => {
  const check = checkOf({
    $defs: { name: { type: "string", minLength: 2, format: "email" } },
    properties: {
      pair: { prefixItems: [{ $ref: "#/$defs/name" }], items: false },
      tree: { $ref: "#/$defs/name" },
    },
    dependentRequired: { pair: ["tree"] },
  });
  assertEquals(check({ pair: ["no address"], tree: "ab" }), undefined);
  assertEquals(check({ pair: ["a"], tree: "ab" }), "pair.0 must NOT have fewer than 2 characters");
  assert(check({ pair: ["ab"] }) !== undefined);
});

Deno.test("compileParameters: a bad schema is told with its path", () => {
  assertEquals(faultOf({ properties: { a: { type: "strng" } } }).path, "properties.a.type");
  assertEquals(faultOf({ properties: { a: { minimum: "1" } } }).path, "properties.a.minimum");
  assertEquals(faultOf({ required: "a" }).path, "required");
  assertStringIncludes(faultOf({ properties: { a: { $ref: "#/$defs/b" } } }).message, "resolve");
  assertStringIncludes(
    faultOf({ properties: { a: { $ref: "https://evil.example/s.json" } } }).message,
    "resolve",
  );
});

Deno.test("compileParameters: what would turn a verdict or the process around is refused", () => {
  assertEquals(faultOf({ $async: true }).path, "$async");
  assertEquals(faultOf({ properties: { a: { $async: true } } }).path, "properties.a.$async");
  const proto = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
  assertEquals(faultOf(proto).path, "properties.__proto__");
  assertEquals(faultOf({ default: { $ref: "#" } }).path, "default.$ref");
  let deep: unknown = { type: "string" };
  for (let n = 0; n < 40; n++) deep = { not: deep };
  assertStringIncludes(faultOf({ not: deep }).message, "nested");
});

Deno.test("compileParameters: a property may bear the name of a keyword", () => {
  const check = checkOf({
    properties: {
      pattern: { type: "string" },
      default: { $ref: "#/$defs/default" },
      $ref: { type: "string" },
    },
    $defs: { default: { type: "integer" } },
  });
  assertEquals(check({ pattern: "(", default: 1, $ref: "x" }), undefined);
  assertEquals(check({ default: "1" }), "default must be integer");
});

Deno.test("compileParameters: patterns are those of JavaScript, but for what cannot be linear", () => {
  const check = checkOf({
    properties: { day: { pattern: "^\\d{4}-\\d{2}$" }, word: { pattern: "^\\u00e9\\p{L}+$" } },
    patternProperties: { "^x-": { type: "integer" } },
  });
  assertEquals(check({ day: "2030-01", word: "été", "x-a": 1 }), undefined);
  assertEquals(check({ day: "2030-1" }), 'day must match pattern "^\\d{4}-\\d{2}$"');
  assertEquals(check({ "x-a": "1" }), "x-a must be integer");
  for (const pattern of ["(?=a)b", "(a)\\1", "(", "\\Qa", "a{1000}{1000}"]) {
    assertEquals(faultOf({ properties: { a: { pattern } } }).path, "properties.a.pattern", pattern);
    assertEquals(
      faultOf({ patternProperties: { [pattern]: true } }).path.slice(0, 17),
      "patternProperties",
    );
  }
});

Deno.test("compileParameters: patterns that explode elsewhere are answered", () => {
  const check = checkOf({ properties: { a: { pattern: "^(a+)+$" }, b: { pattern: "(x+x+)+y" } } });
  assertEquals(check({ a: "a".repeat(5000) }), undefined);
  assert(check({ a: "a".repeat(5000) + "!" })?.startsWith("a must match"));
  assert(check({ b: "x".repeat(5000) })?.startsWith("b must match"));
});

Deno.test("compileParameters: patterns that are large by repetition are refused unread", () => {
  const bombs = [
    "[a-z]{1,1000}".repeat(39),
    "(x{30}){30}".repeat(40),
    "((a{10}){10}){10}".repeat(9),
  ];
  for (const pattern of bombs) {
    assertEquals(faultOf({ properties: { a: { pattern } } }).path, "properties.a.pattern");
  }
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`p${n}`, { pattern: `[a-z]{1,${999 - n}}` }]),
  );
  assertStringIncludes(faultOf({ properties: many }).message, "together they are too large");
  const tiny = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`^${n}`, true]));
  assertStringIncludes(faultOf({ patternProperties: tiny }).message, "together they are too large");
});

Deno.test("compileParameters: references that fan out, or never end, cost a bounded check", () => {
  const $defs: Record<string, unknown> = { d40: { type: "string" } };
  for (let n = 0; n < 40; n++) {
    $defs[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] };
  }
  assertEquals(checkOf({ $defs, properties: { a: { $ref: "#/$defs/d0" } } })({ a: "x" }), COSTLY);
  const endless = { $defs: { a: { $ref: "#/$defs/a" } }, properties: { a: { $ref: "#/$defs/a" } } };
  assertEquals(checkOf(endless)({ a: "x" }), COSTLY);
});

Deno.test("compileParameters: a schema may refer to itself, by whichever of its names", () => {
  const DRAFT_7 = "http://json-schema.org/draft-07/schema#";
  const META = "https://json-schema.org/draft/2020-12/schema";
  const id = "https://tools.example/tree";
  const names: [Record<string, unknown>, string][] = [
    [{}, "#"],
    [{ $schema: META }, "#"],
    [{ $schema: DRAFT_7 }, "#"],
    [{ $anchor: "tree" }, "#tree"],
    [{ $dynamicAnchor: "tree" }, "#tree"],
    [{ $id: id }, id],
    [{ $id: id, $anchor: "tree" }, "#tree"],
    // The names of the meta-schemas themselves: there is none here to mistake it for.
    [{ $id: META }, "#"],
    [{ $id: DRAFT_7, $schema: DRAFT_7 }, "#"],
  ];
  for (const [name, $ref] of names) {
    const check = checkOf({ ...name, properties: { child: { $ref }, n: { type: "integer" } } });
    assertEquals(check({ child: { child: { n: 1 } } }), undefined);
    const wrong = check({ child: { child: { n: "1" } } });
    assertEquals(wrong, "child.child.n must be integer", JSON.stringify(name));
    assertEquals(checkOf({ ...name, $ref })({}), COSTLY);
  }
});

Deno.test("compileParameters: honest recursion is followed", () => {
  const check = checkOf({
    $defs: {
      node: {
        type: "object",
        properties: { name: { type: "string" }, children: { items: { $ref: "#/$defs/node" } } },
        required: ["name"],
      },
    },
    properties: { tree: { $ref: "#/$defs/node" } },
  });
  const leaf = { name: "leaf" };
  assertEquals(check({ tree: { name: "root", children: [leaf, leaf] } }), undefined);
  assertEquals(
    check({ tree: { name: "root", children: [leaf, {}] } }),
    "tree.children.1 must have required property 'name'",
  );
});

Deno.test("compileParameters: large and deep arguments are refused before they are walked", () => {
  const check = checkOf({ properties: { a: { uniqueItems: true } } });
  assertEquals(check({ a: [1, 2, 3] }), undefined);
  assertEquals(check({ a: Array.from({ length: 5000 }, (_, n) => ({ n })) }), COSTLY);
  let deep: unknown = 1;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  assertEquals(check({ a: deep }), COSTLY);
});

Deno.test("compileParameters: a draft 7 schema is read as one", () => {
  const check = checkOf({
    $schema: "http://json-schema.org/draft-07/schema#",
    definitions: { s: { type: "string" } },
    properties: { a: { type: "array", items: [{ $ref: "#/definitions/s" }] } },
  });
  assertEquals(check({ a: ["x", 1] }), undefined);
  assertEquals(check({ a: [1] }), "a.0 must be string");
});

Deno.test("compileParameters: what every object inherits is no argument", () => {
  const optional = checkOf({ properties: { constructor: { type: "string" } } });
  assertEquals(optional({}), undefined);
  assertEquals(optional({ constructor: 1 }), "constructor must be string");
  const needed = checkOf({ required: ["toString"] });
  assertEquals(needed({}), "the arguments must have required property 'toString'");
  assertEquals(needed({ toString: 1 }), undefined);
  assertEquals(checkOf({ dependentRequired: { valueOf: ["a"] } })({}), undefined);
});

Deno.test("compileParameters: what would take seconds to compile is refused, what people write is not", () => {
  const $defs = { a: { minimum: 1 } };
  const refs = (n: number) => Array.from({ length: n }, () => ({ $ref: "#/$defs/a" }));
  const consts = (n: number) => Array.from({ length: n }, (_, value) => ({ const: value }));
  const faultOf = (schema: Record<string, unknown>) => {
    const compiled = compileParameters({ type: "object", $defs, ...schema });
    return "message" in compiled ? compiled.message : undefined;
  };
  assertEquals(faultOf({ oneOf: refs(390) }), "has more than 200 references");
  assertEquals(faultOf({ anyOf: [{ allOf: refs(201) }] }), "has more than 200 references");
  const split = { properties: { a: { oneOf: consts(210) }, b: { oneOf: consts(210) } } };
  assertEquals(faultOf(split), "has more than 400 alternatives in oneOf");
  const nots = Array.from({ length: 260 }, () => ({ not: { not: {} } }));
  assertEquals(faultOf({ anyOf: nots }), "holds more than 500 schemas");
  const bounds = Object.fromEntries(
    Array.from({ length: 250 }, (_, n) => [n, { minimum: 1, maximum: 2, minLength: 3, title: "" }]),
  );
  assertEquals(faultOf({ properties: bounds }), undefined);
  const more = { ...bounds, minItems: { minItems: 1, maxItems: 2, pattern: "a".repeat(3) } };
  const dependentRequired = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [n, ["a"]]));
  assertEquals(faultOf({ properties: more, dependentRequired }), "says more than 1000 things");
  assertEquals(faultOf({ properties: { country: { oneOf: consts(249) } } }), undefined);
  assertEquals(faultOf({ properties: { a: { anyOf: refs(50) } } }), undefined);
});
