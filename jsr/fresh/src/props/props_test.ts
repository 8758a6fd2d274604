import {
  assert,
  assertEquals,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { computed, Signal, signal } from "@preact/signals";
import { decodeProps } from "./decode.ts";
import { encodeProps, scriptLiteral } from "./encode.ts";

function roundTrip<T>(value: T): T {
  return decodeProps(encodeProps(value), String) as T;
}

Deno.test("JSON, undefined and dates survive the way to the browser", () => {
  const props = {
    text: "a",
    count: 1.5,
    yes: true,
    nothing: null,
    missing: undefined,
    nested: { list: [[], {}, [{ a: 1 }], [undefined]] },
    when: new Date(86_400_000),
  };
  assertEquals(roundTrip(props), props);
  assert(Number.isNaN(roundTrip(new Date(NaN)).getTime()));
});

Deno.test("one signal given twice stays one", () => {
  const shared = signal({ n: 1 });
  const [a, b] = roundTrip([{ s: shared }, { s: shared }]);
  assert(a?.s instanceof Signal);
  assertStrictEquals(a.s, b?.s);
  assertEquals(a.s.value, { n: 1 });
});

Deno.test("a key named __proto__ is only a key", () => {
  const arrived = roundTrip(JSON.parse('{"__proto__":{"admin":true},"a":1}'));
  assertEquals(Object.keys(arrived), ["__proto__", "a"]);
  assertEquals(Object.getPrototypeOf(arrived), Object.prototype);
  assertEquals(arrived.admin, undefined);
});

Deno.test("strings that look like tags stay strings", () => {
  assertEquals(roundTrip(["date", ["date", 0], { object: "signal" }]), [
    "date",
    ["date", 0],
    { object: "signal" },
  ]);
});

Deno.test("a literal for a script holds nothing that could end it", () => {
  const text = encodeProps({ a: "</script><!--\u2028\u2029" });
  const literal = scriptLiteral(text);
  assert(!/<\/script|<!--|[\u2028\u2029]/.test(literal));
  assertEquals(decodeProps(JSON.parse(literal), String), { a: "</script><!--\u2028\u2029" });
});

Deno.test("other values are rejected with their path", () => {
  class Account {}
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const refused = [
    ...[() => {}, Symbol("s"), new Account(), Promise.resolve(), new ReadableStream()],
    ...[1n, NaN, Infinity, new URL("http://a.example"), /a/, new Map(), new Set()],
    ...[new Uint8Array(1), computed(() => 1), cycle],
  ];
  for (const value of refused) {
    const error = assertThrows(() => encodeProps([{ deep: [value] }]), Error, "not in this build");
    assertStringIncludes(error.message, "props.0.deep.0");
  }
});
