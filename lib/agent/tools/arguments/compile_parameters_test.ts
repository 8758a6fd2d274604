import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { compileParameters } from "./compile_parameters.ts";

function validatorOf(parameters: Record<string, unknown>) {
  const compiled = compileParameters({ type: "object", ...parameters });
  assert("validate" in compiled, JSON.stringify(compiled));
  return compiled.validate;
}

function issueOf(parameters: Record<string, unknown>) {
  const compiled = compileParameters({ type: "object", ...parameters });
  assert("path" in compiled);
  return compiled;
}

const COSTLY = "the arguments cost too much to check against the tool's schema";

Deno.test("compileParameters: the validator reports where arguments do not match", () => {
  const validate = validatorOf({
    properties: { n: { type: "integer", minimum: 1 }, kind: { enum: ["a", "b"] } },
    required: ["n"],
    additionalProperties: false,
  });
  assertEquals(validate({ n: 1, kind: "a" }), undefined);
  assertEquals(validate({ n: 0 }), "n must be >= 1");
  assertEquals(validate({ n: "1" }), "n must be integer");
  assertEquals(validate({}), "the arguments must have required property 'n'");
  assertEquals(validate({ n: 1, x: 1 }), "the arguments must NOT have additional properties: x");
  assertEquals(
    validate({ n: 1, kind: "c" }),
    'kind must be equal to one of the allowed values: ["a","b"]',
  );
});

Deno.test("compileParameters: supports 2020-12 keywords and treats format as an annotation", () => {
  const validate = validatorOf({
    $defs: { name: { type: "string", minLength: 2, format: "email" } },
    properties: {
      pair: { prefixItems: [{ $ref: "#/$defs/name" }], items: false },
      tree: { $ref: "#/$defs/name" },
    },
    dependentRequired: { pair: ["tree"] },
  });
  assertEquals(validate({ pair: ["no address"], tree: "ab" }), undefined);
  assertEquals(
    validate({ pair: ["a"], tree: "ab" }),
    "pair.0 must NOT have fewer than 2 characters",
  );
  assert(validate({ pair: ["ab"] }) !== undefined);
});

Deno.test("compileParameters: an invalid schema is reported with its path", () => {
  assertEquals(issueOf({ properties: { a: { type: "strng" } } }).path, "properties.a.type");
  assertEquals(issueOf({ properties: { a: { minimum: "1" } } }).path, "properties.a.minimum");
  assertEquals(issueOf({ required: "a" }).path, "required");
  assertStringIncludes(issueOf({ properties: { a: { $ref: "#/$defs/b" } } }).message, "resolve");
  assertStringIncludes(
    issueOf({ properties: { a: { $ref: "https://evil.example/s.json" } } }).message,
    "resolve",
  );
});

Deno.test("compileParameters: rejects schemas that subvert the result or the process", () => {
  assertEquals(issueOf({ $async: true }).path, "$async");
  assertEquals(issueOf({ properties: { a: { $async: true } } }).path, "properties.a.$async");
  const proto = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
  assertEquals(issueOf(proto).path, "properties.__proto__");
  assertEquals(issueOf({ default: { $ref: "#" } }).path, "default.$ref");
  let deep: unknown = { type: "string" };
  for (let n = 0; n < 40; n++) deep = { not: deep };
  assertStringIncludes(issueOf({ not: deep }).message, "nested");
});

Deno.test("compileParameters: a property may have the name of a keyword", () => {
  const validate = validatorOf({
    properties: {
      pattern: { type: "string" },
      default: { $ref: "#/$defs/default" },
      $ref: { type: "string" },
    },
    $defs: { default: { type: "integer" } },
  });
  assertEquals(validate({ pattern: "(", default: 1, $ref: "x" }), undefined);
  assertEquals(validate({ default: "1" }), "default must be integer");
});

Deno.test("compileParameters: supports JavaScript patterns that run in linear time", () => {
  const validate = validatorOf({
    properties: { day: { pattern: "^\\d{4}-\\d{2}$" }, word: { pattern: "^\\u00e9\\p{L}+$" } },
    patternProperties: { "^x-": { type: "integer" } },
  });
  assertEquals(validate({ day: "2030-01", word: "été", "x-a": 1 }), undefined);
  assertEquals(validate({ day: "2030-1" }), 'day must match pattern "^\\d{4}-\\d{2}$"');
  assertEquals(validate({ "x-a": "1" }), "x-a must be integer");
  for (const pattern of ["(?=a)b", "(a)\\1", "(", "\\Qa", "a{1000}{1000}"]) {
    assertEquals(issueOf({ properties: { a: { pattern } } }).path, "properties.a.pattern", pattern);
    assertEquals(
      issueOf({ patternProperties: { [pattern]: true } }).path.slice(0, 17),
      "patternProperties",
    );
  }
});

Deno.test("compileParameters: patterns that explode with backtracking run in linear time", () => {
  const validate = validatorOf({
    properties: { a: { pattern: "^(a+)+$" }, b: { pattern: "(x+x+)+y" } },
  });
  assertEquals(validate({ a: "a".repeat(5000) }), undefined);
  assert(validate({ a: "a".repeat(5000) + "!" })?.startsWith("a must match"));
  assert(validate({ b: "x".repeat(5000) })?.startsWith("b must match"));
});

Deno.test("compileParameters: rejects large repetitions before compiling them", () => {
  const bombs = [
    "[a-z]{1,1000}".repeat(39),
    "(x{30}){30}".repeat(40),
    "((a{10}){10}){10}".repeat(9),
  ];
  for (const pattern of bombs) {
    assertEquals(issueOf({ properties: { a: { pattern } } }).path, "properties.a.pattern");
  }
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`p${n}`, { pattern: `[a-z]{1,${999 - n}}` }]),
  );
  assertStringIncludes(issueOf({ properties: many }).message, "together they are too large");
  const tiny = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`^${n}`, true]));
  assertStringIncludes(issueOf({ patternProperties: tiny }).message, "together they are too large");
});

Deno.test("compileParameters: limits the cost of references that fan out or never end", () => {
  const $defs: Record<string, unknown> = { d40: { type: "string" } };
  for (let n = 0; n < 40; n++) {
    $defs[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] };
  }
  assertEquals(
    validatorOf({ $defs, properties: { a: { $ref: "#/$defs/d0" } } })({ a: "x" }),
    COSTLY,
  );
  const endless = { $defs: { a: { $ref: "#/$defs/a" } }, properties: { a: { $ref: "#/$defs/a" } } };
  assertEquals(validatorOf(endless)({ a: "x" }), COSTLY);
});

Deno.test("compileParameters: a schema may refer to itself by any of its names", () => {
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
    // The ids of the meta-schemas themselves, which must not be confused with it.
    [{ $id: META }, "#"],
    [{ $id: DRAFT_7, $schema: DRAFT_7 }, "#"],
  ];
  for (const [name, $ref] of names) {
    const validate = validatorOf({
      ...name,
      properties: { child: { $ref }, n: { type: "integer" } },
    });
    assertEquals(validate({ child: { child: { n: 1 } } }), undefined);
    const wrong = validate({ child: { child: { n: "1" } } });
    assertEquals(wrong, "child.child.n must be integer", JSON.stringify(name));
    assertEquals(validatorOf({ ...name, $ref })({}), COSTLY);
  }
});

Deno.test("compileParameters: supports recursive schemas", () => {
  const validate = validatorOf({
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
  assertEquals(validate({ tree: { name: "root", children: [leaf, leaf] } }), undefined);
  assertEquals(
    validate({ tree: { name: "root", children: [leaf, {}] } }),
    "tree.children.1 must have required property 'name'",
  );
});

Deno.test("compileParameters: rejects large and deep arguments before validation", () => {
  const validate = validatorOf({ properties: { a: { uniqueItems: true } } });
  assertEquals(validate({ a: [1, 2, 3] }), undefined);
  assertEquals(validate({ a: Array.from({ length: 5000 }, (_, n) => ({ n })) }), COSTLY);
  let deep: unknown = 1;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  assertEquals(validate({ a: deep }), COSTLY);
});

Deno.test("compileParameters: supports draft 7", () => {
  const validate = validatorOf({
    $schema: "http://json-schema.org/draft-07/schema#",
    definitions: { s: { type: "string" } },
    properties: { a: { type: "array", items: [{ $ref: "#/definitions/s" }] } },
  });
  assertEquals(validate({ a: ["x", 1] }), undefined);
  assertEquals(validate({ a: [1] }), "a.0 must be string");
});

Deno.test("compileParameters: inherited properties are not arguments", () => {
  const optional = validatorOf({ properties: { constructor: { type: "string" } } });
  assertEquals(optional({}), undefined);
  assertEquals(optional({ constructor: 1 }), "constructor must be string");
  const needed = validatorOf({ required: ["toString"] });
  assertEquals(needed({}), "the arguments must have required property 'toString'");
  assertEquals(needed({ toString: 1 }), undefined);
  assertEquals(validatorOf({ dependentRequired: { valueOf: ["a"] } })({}), undefined);
});

Deno.test("compileParameters: rejects schemas that take seconds to compile, but no realistic ones", () => {
  const $defs = { a: { minimum: 1 } };
  const refs = (n: number) => Array.from({ length: n }, () => ({ $ref: "#/$defs/a" }));
  const consts = (n: number) => Array.from({ length: n }, (_, value) => ({ const: value }));
  const issueOf = (schema: Record<string, unknown>) => {
    const compiled = compileParameters({ type: "object", $defs, ...schema });
    return "message" in compiled ? compiled.message : undefined;
  };
  assertEquals(issueOf({ oneOf: refs(390) }), "has more than 200 references");
  assertEquals(issueOf({ anyOf: [{ allOf: refs(201) }] }), "has more than 200 references");
  const split = { properties: { a: { oneOf: consts(210) }, b: { oneOf: consts(210) } } };
  assertEquals(issueOf(split), "has more than 400 alternatives in oneOf");
  const nots = Array.from({ length: 260 }, () => ({ not: { not: {} } }));
  assertEquals(issueOf({ anyOf: nots }), "holds more than 500 schemas");
  const bounds = Object.fromEntries(
    Array.from({ length: 250 }, (_, n) => [n, { minimum: 1, maximum: 2, minLength: 3, title: "" }]),
  );
  assertEquals(issueOf({ properties: bounds }), undefined);
  const more = { ...bounds, minItems: { minItems: 1, maxItems: 2, pattern: "a".repeat(3) } };
  const dependentRequired = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [n, ["a"]]));
  assertEquals(issueOf({ properties: more, dependentRequired }), "has more than 1000 keywords");
  assertEquals(issueOf({ properties: { country: { oneOf: consts(249) } } }), undefined);
  assertEquals(issueOf({ properties: { a: { anyOf: refs(50) } } }), undefined);
});
