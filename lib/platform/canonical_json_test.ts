import { assertEquals, assertNotEquals } from "@std/assert";
import { canonicalJson } from "./canonical_json.ts";

Deno.test("canonicalJson: ignores the order of keys at any depth, but not the order of items", () => {
  assertEquals(canonicalJson({ b: [{ d: 1, c: 2 }], a: null }), '{"a":null,"b":[{"c":2,"d":1}]}');
  assertEquals(canonicalJson({ x: { 10: 1, 9: 2 } }), canonicalJson({ x: { 9: 2, 10: 1 } }));
  assertNotEquals(canonicalJson([1, 2]), canonicalJson([2, 1]));
});

Deno.test("canonicalJson: an undefined field counts as absent, null does not", () => {
  assertEquals(canonicalJson({ a: undefined, b: 1 }), canonicalJson({ b: 1 }));
  assertNotEquals(canonicalJson({ a: null, b: 1 }), canonicalJson({ b: 1 }));
});
