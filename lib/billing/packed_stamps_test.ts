import { assert, assertEquals } from "@std/assert";
import { seeded } from "@/tests/support/flaky_kv.ts";
import {
  dropBefore,
  newestOf,
  type PackedStamps,
  packStamps,
  stampAt,
  unpackStamps,
} from "./packed_stamps.ts";

const START = Date.UTC(2026, 0, 2, 12);

/** Times in order: sometimes many in a millisecond, sometimes seconds apart. */
function someStamps(random: () => number, { count, after }: { count: number; after: number }) {
  let time = after;
  return Array.from({ length: count }, () => {
    const kind = random();
    if (kind > 0.5) time += Math.floor(random() * 3);
    if (kind > 0.98) time += Math.floor(random() * 4_000);
    return time;
  });
}

for (const seed of [1, 2, 3]) {
  Deno.test(`packStamps: packed times are the list, whatever is added and dropped (seed ${seed})`, () => {
    const random = seeded(seed);
    let packed: PackedStamps | undefined;
    let list: number[] = [];
    for (let step = 0; step < 200; step++) {
      const count = Math.floor(random() * 60);
      const added = someStamps(random, { count, after: list.at(-1) ?? START });
      packed = packStamps(packed, added);
      list.push(...added);
      if (random() < 0.3 && list.length > 0) {
        const since = list[Math.floor(random() * list.length)]! + Math.floor(random() * 2);
        packed = dropBefore(packed, since);
        list = list.filter((time) => time >= since);
      }
      assertEquals(unpackStamps(packed), list);
      assertEquals(unpackStamps(packed, 3), list.slice(0, 3));
      assertEquals(packed?.count ?? 0, list.length);
      if (packed === undefined) continue;
      assertEquals([packed.from, newestOf(packed)], [list[0], list.at(-1)]);
      const n = Math.floor(random() * list.length);
      assertEquals(stampAt(packed, n), list[n]);
    }
  });
}

Deno.test("packStamps: a full minute of 60,000 requests takes at most 15 KB, however they are distributed", () => {
  const distributions = [
    (n: number) => START + n,
    () => START,
    (n: number) => START + (n < 30_000 ? 0 : 60_000),
    (n: number) => START + Math.floor(n / 100) * 100,
  ];
  for (const at of distributions) {
    const packed = packStamps(undefined, Array.from({ length: 60_000 }, (_, n) => at(n)));
    assert(packed!.bits.length <= 15_001, String(packed!.bits.length));
  }
});
