import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { decodeValue, DecodeValueError, encodedSize, encodeValue } from "./value_codec.ts";

function roundTrip(value: unknown): unknown {
  return decodeValue(encodeValue(value).slice());
}

const VALUES: Record<string, unknown> = {
  text: ["", "a", "ä".repeat(40), "漢字".repeat(300), "😀".repeat(90), "a\0b", "x".repeat(70_000)],
  numbers: [
    0,
    1,
    127,
    128,
    255,
    256,
    65_536,
    2 ** 31,
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
    1_732_300_000_000,
  ],
  negatives: [-1, -32, -33, -129, -32_769, -(2 ** 31) - 1, -(2 ** 53) + 1],
  fractions: [0.1, 1.1, 5e-324, 1.7976931348623157e308, NaN, Infinity, -Infinity],
  others: [true, false, null, [], {}, new Date(1_732_300_000_000)],
  bytes: { v: 1, tail: new Uint8Array([1, 2, 3]), none: new Uint8Array() },
  names: { 1: 1, "-1": 2, "": 3, toString: 4, constructor: 5, ["k".repeat(300)]: 6, "ключ": 7 },
  "a field called __proto__": JSON.parse('{"a":{"__proto__":{"x":1},"$":2}}'),
  "text about __proto__": { note: 'a "__proto__" \\ field\n', tail: new Uint8Array([7]) },
  "half a surrogate pair": ["\ud83d", "x".repeat(300) + "\udc00", {
    ["\ud800".repeat(60)]: "\ufffd",
  }],
  "half a surrogate pair in short text": { a: ["\ud83d"], "\udc00": "a\ud800b" },
  nested: JSON.parse("[".repeat(70) + "]".repeat(70)),
};

for (const [what, value] of Object.entries(VALUES)) {
  Deno.test(`encodeValue: ${what} round-trips`, () => assertEquals(roundTrip(value), value));
}

Deno.test("encodeValue: omits an undefined field", () => {
  assertEquals(Object.keys(roundTrip({ a: undefined, b: 1 }) as object), ["b"]);
});

Deno.test("encodeValue: encoding another value does not change earlier results", () => {
  const first = encodeValue({ text: "first" });
  const large = encodeValue({ text: "l".repeat(5_000) });
  for (let n = 0; n < 2_000; n++) encodeValue({ text: "other".repeat(20), n });
  assertEquals(decodeValue(first), { text: "first" });
  assertEquals(decodeValue(large), { text: "l".repeat(5_000) });
});

Deno.test("encodeValue: works after an invalid value", () => {
  assertThrows(() => encodeValue({ call: () => {} }), Error, "Function");
  assertThrows(() => encodeValue({ big: 5n }), Error, "BigInt");
  assertEquals(roundTrip({ a: 1 }), { a: 1 });
});

Deno.test("encodeValue: plain bytes take at most 7 bytes more", () => {
  for (const size of [1, 300, 49_152, 65_529]) {
    const overhead = encodedSize(new Uint8Array(size)) - size;
    assert(overhead <= 7, `${overhead}`);
  }
});

/** The limit of Deno KV. */
const MAX_VALUE_BYTES = 65_536;

Deno.test("encodeValue: the largest allowed values fit into the store", () => {
  const now = 1_732_300_000_000;
  const stamps = Array.from({ length: 6_000 }, (_, n) => now + n);
  const lease = { until: now, hold: 2 ** 40, side: true };
  const leases = Array.from({ length: 800 }, () => [crypto.randomUUID(), lease]);
  const earlier = Object.fromEntries(stamps.slice(0, 4).map((n) => [`2026-11-${n % 30}`, n]));
  const ledger = {
    v: 1,
    period: "2026-11-22",
    spent: now,
    earlier,
    runs: Object.fromEntries(leases),
  };
  for (const value of [{ v: 1, all: stamps }, ledger]) {
    const bytes = encodedSize(value);
    assert(bytes < MAX_VALUE_BYTES - 4_096, `${bytes}`);
  }
});

Deno.test("decodeValue: reports an unknown version as written by a newer release", () => {
  const next = encodeValue({ a: 1 }).slice();
  next[1] = 3;
  assertThrows(
    () => decodeValue(next),
    DecodeValueError,
    "format 3 was written by a newer release",
  );
});

Deno.test("decodeValue: rejects invalid bytes, and decodes the next value", () => {
  const whole = encodeValue({ text: "whole", list: [1, 2] }).slice();
  const garbage = [
    new Uint8Array(),
    new Uint8Array([0x92]),
    new Uint8Array([0x92, 1]),
    new Uint8Array([0x92, 1, 0xc1]),
    new Uint8Array([0x92, 1, 0xdf, 255, 255, 255, 255]),
    new Uint8Array([0x92, 2, 0xa1, 0x22]),
    new TextEncoder().encode('{"v":1}'),
    whole.slice(0, -1),
    new Uint8Array([...whole, 0]),
  ];
  for (const bytes of garbage) assertThrows(() => decodeValue(bytes), DecodeValueError);
  assertEquals(decodeValue(whole), { text: "whole", list: [1, 2] });
});

Deno.test("decodeValue: allocates no memory for a damaged length", () => {
  // Arrays of 30 million items would take 240 MB before the first item is read.
  const bytes = new Uint8Array([0x92, 1, 0xdd, 0x01, 0xc9, 0xc3, 0x80]);
  const { cause } = assertThrows(() => decodeValue(bytes), DecodeValueError);
  assertMatch(String(cause), /Max length exceeded/);
});
