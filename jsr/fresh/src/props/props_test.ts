import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { computed, Signal, signal } from "@preact/signals";
import { decodeProps } from "./decode.ts";
import { encodeProps, scriptLiteral } from "./encode.ts";

function roundTrip<T>(value: T): T {
  return decodeProps(encodeProps(value)) as T;
}

Deno.test("props of every plain kind survive the way to the browser", () => {
  const props = {
    text: "a",
    count: 1.5,
    big: 12n,
    yes: true,
    nothing: null,
    missing: undefined,
    numbers: [NaN, Infinity, -Infinity, -0, 0],
    nested: { list: [[], {}, [{ a: 1 }]] },
    when: new Date(86_400_000),
    link: new URL("https://a.example/b?c"),
    pattern: /a\/"b/gi,
    bytes: new Uint8Array([0, 255]),
    set: new Set(["a", 1]),
    map: new Map<unknown, unknown>([["k", { v: 1 }], [2, null]]),
  };
  assertEquals(roundTrip(props), props);
  assert(Object.is(roundTrip([-0])[0], -0));
});

Deno.test("an invalid date and holes stay what they are", () => {
  assert(Number.isNaN(roundTrip(new Date(NaN)).getTime()));
  // deno-lint-ignore no-sparse-arrays
  const holes = roundTrip([1, , 3]);
  assertEquals([0 in holes, 1 in holes, holes.length], [true, false, 3]);
});

Deno.test("one signal given twice stays one", () => {
  const shared = signal({ n: 1 });
  const [a, b] = roundTrip([{ s: shared }, { s: shared }]);
  assert(a?.s instanceof Signal);
  assertStrictEquals(a.s, b?.s);
  assertEquals(a.s.value, { n: 1 });
});

Deno.test("a computed arrives as a computed with its value", () => {
  const source = signal(2);
  const arrived = roundTrip(computed(() => source.value * 2));
  assertEquals(arrived.value, 4);
  assertThrows(() => {
    (arrived as { value: number }).value = 5;
  });
});

Deno.test("repeated and cyclic references keep their identity", () => {
  const cycle: Record<string, unknown> = { name: "a" };
  cycle.self = cycle;
  cycle.list = [cycle];
  cycle.signal = signal(cycle);
  const arrived = roundTrip(cycle);
  assertStrictEquals(arrived.self, arrived);
  assertStrictEquals((arrived.list as unknown[])[0], arrived);
  assertStrictEquals((arrived.signal as Signal).value, arrived);
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
  assert(!/[<\u2028\u2029]/.test(literal));
  assertEquals(decodeProps(JSON.parse(literal)), { a: "</script><!--\u2028\u2029" });
});

Deno.test("what cannot reach a browser is refused with its place", () => {
  class Account {}
  const refused = [() => {}, Symbol("s"), new Account(), Promise.resolve(), new ReadableStream()];
  for (const value of refused) {
    assertThrows(() => encodeProps([{ deep: [value] }]), TypeError, "props[0].deep[0]");
  }
});
