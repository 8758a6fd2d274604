import type { SeededRandom } from "./seeded_random.ts";

/** Strings that are known to break parsers, stores or renderers. */
export const STRINGS: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00\ud800",
  "a\ud83d",
  "👩‍👩‍👧‍👦",
  "\u202Eabc",
  "\ufeff",
  "\u2028\u2029",
  "Z\u0351\u036b\u0343\u036a",
  "\r\ndata: injected\r\n\r\n",
  "id: 1\nevent: done\n\n",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "NaN",
  "[object Object]",
  "../../etc/passwd",
  "..%2f..%2f",
  "%",
  "%zz",
  "%00",
  "%ff",
  "' OR 1=1 --",
  "<script>alert(1)</script>",
  "{{secret.KEY}}",
  "{{",
  "https://",
  "http://[::1",
  "https://user:pass@host/",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "*.*",
  "*",
  "0".repeat(400),
  "x".repeat(33_000),
  "é".repeat(5_000),
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "2026-13-45T99:99:99Z",
];

const NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  1,
  0.1,
  1.5,
  -1e308,
  1e308,
  5e-324,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 63),
  100.0000001,
];

/** Any JSON value that is unlikely to be valid. */
export function hostileValue(dice: SeededRandom): unknown {
  switch (dice.int(0, 7)) {
    case 0:
      return dice.pick(STRINGS);
    case 1:
      return dice.pick(NUMBERS);
    case 2:
      return dice.pick([null, true, false]);
    case 3:
      return [];
    case 4:
      return {};
    case 5:
      return nested(dice.pick([3, 63, 64, 65, 66, 500]), dice.chance(0.5));
    case 6:
      return Array.from({ length: dice.pick([17, 33, 65, 1_000, 20_000]) }, () => dice.int(0, 9));
    default:
      return Object.fromEntries(
        Array.from({ length: dice.int(1, 200) }, (_, n) => [dice.pick(STRINGS) + n, n]),
      );
  }
}

/** Lists or objects nested `depth` levels. */
function nested(depth: number, lists: boolean): unknown {
  let value: unknown = 1;
  for (let n = 0; n < depth; n++) value = lists ? [value] : { a: value };
  return value;
}
