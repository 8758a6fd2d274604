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

Deno.test("canonicalJson: keys are in the order of their UTF-16 units, also numbers", () => {
  const keys = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\x80", "\xf6", "9", "10", "!"];
  const sorted = ["\r", "!", "1", "10", "9", "\x80", "\xf6", "\u20ac", "\ud83d\ude00", "\ufb33"];
  const text = canonicalJson({ a: Object.fromEntries(keys.map((key) => [key, []])) });
  assertEquals(text, `{"a":{${sorted.map((key) => `${JSON.stringify(key)}:[]`).join()}}}`);
});

Deno.test("canonicalJson: other values are as in JSON", () => {
  const value = [undefined, NaN, -0, 1e21, "\ud800", JSON.parse('{"__proto__":1}'), new Date(0)];
  assertEquals(canonicalJson(value), JSON.stringify(value));
});
