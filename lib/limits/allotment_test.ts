import { assert, assertEquals } from "@std/assert";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { allot, allottedLimits, inOnePeriod, mergeShards } from "./allotment.ts";
import { dayOf, heldBy, type Ledger, slotsOf, type TenantLimits } from "./ledger.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const MOMENT = { now: NOON, period: dayOf(NOON) };
const LIMITS = { streams: 10, hardLimit: 1_000 };
const NO_NEED = { streams: 0, hardLimit: 0 };

function ledger(of: Partial<Ledger> = {}): Ledger {
  return { v: 1, period: MOMENT.period, spent: 0, runs: {}, ...of };
}

const running = (hold: number) => ({ until: NOON + 30_000, hold });
const allotments = (ledgers: readonly Ledger[]) =>
  ledgers.map(({ allotment }) => allotment && [allotment.streams, allotment.hardLimit]);

Deno.test("allot: gives the shard that asks what it needs, and each active one half of the rest", () => {
  const before = [ledger({ runs: { a: running(100) } }), ledger(), ledger()];
  const need = { streams: 1, hardLimit: 300 };
  const after = allot(before, { shard: 2, limits: LIMITS, need, moment: MOMENT });
  // Of 9 slots and 900 one slot and 300 are needed; the rest is divided by two.
  assertEquals(allotments(after), [[5, 400], undefined, [5, 600]]);
  assertEquals(after[1], before[1]);
});

Deno.test("allot: gives all that is free to the only active shard, and nothing beyond it", () => {
  const shards = allot([ledger({ spent: 900 }), ledger()], {
    ...{ shard: 1, limits: LIMITS, moment: MOMENT },
    need: { streams: 1, hardLimit: 400 },
  });
  assertEquals(allotments(shards), [[0, 900], [10, 100]]);
  const lowered = { streams: 2, hardLimit: 500 };
  const request = { shard: 1, limits: lowered, need: NO_NEED, moment: MOMENT };
  assertEquals(allotments(allot(shards, request)), [[0, 900], [2, 0]]);
});

Deno.test("allottedLimits: an allotment is void on another day and under other limits", () => {
  const [first, second] = allot([ledger(), ledger()], {
    ...{ shard: 1, limits: LIMITS, need: NO_NEED, moment: MOMENT },
  }) as [Ledger, Ledger];
  const of = (shard: Ledger, limits: TenantLimits = LIMITS) =>
    allottedLimits(shard, { limits, isFirst: shard === first })?.streams;
  assertEquals([of(first), of(second)], [0, 10]);
  assertEquals(of(second, { ...LIMITS, streams: 9 }), undefined);
  assertEquals(of({ ...second, period: "2026-01-03" }), undefined);
});

Deno.test("allottedLimits: an undivided ledger has the limits to itself, a new shard has none", () => {
  assertEquals(allottedLimits(ledger(), { limits: LIMITS, isFirst: true }), LIMITS);
  assertEquals(allottedLimits(ledger(), { limits: LIMITS, isFirst: false }), undefined);
});

Deno.test("inOnePeriod: all shards are on the day that one of them has begun", () => {
  const beforeMidnight = Date.UTC(2026, 0, 2, 23, 58);
  const shards = [ledger({ spent: 7 }), ledger({ period: "2026-01-03", spent: 2 }), undefined];
  const at = { now: beforeMidnight, period: dayOf(beforeMidnight) };
  const { ledgers, moment } = inOnePeriod(shards, at);
  assertEquals(moment.period, "2026-01-03");
  assertEquals(ledgers.map(({ period, spent }) => [period, spent]), [
    ["2026-01-03", 0],
    ["2026-01-03", 2],
    ["2026-01-03", 0],
  ]);
});

Deno.test("allot: whatever is asked, the allotments never exceed the limits nor fall below what is used", () => {
  const random = seeded(21);
  const upTo = (n: number) => Math.floor(random() * (n + 1));
  for (let round = 0; round < 300; round++) {
    let shards = Array.from({ length: 1 + upTo(7) }, (_, i) => {
      const runs = Array.from({ length: upTo(3) }, (_, n) => [`${i}-${n}`, running(upTo(100))]);
      return ledger({ spent: upTo(150), runs: Object.fromEntries(runs) });
    });
    for (let asked = 0; asked < 4; asked++) {
      const need = { streams: upTo(3), hardLimit: upTo(500) };
      const shard = upTo(shards.length - 1);
      const limits = { streams: 5 + upTo(20), hardLimit: 200 + upTo(2_000) };
      const whole = mergeShards(shards, MOMENT);
      const used = { streams: slotsOf(whole, MOMENT), money: whole.spent + heldBy(whole, MOMENT) };
      shards = allot(shards, { shard, limits, need, moment: MOMENT });
      const members = shards.filter(({ allotment }) => allotment !== undefined);
      const sum = (of: (shard: Ledger) => number) => members.reduce((a, b) => a + of(b), 0);
      assert(sum((one) => one.allotment!.streams) <= Math.max(limits.streams, used.streams));
      assert(sum((one) => one.allotment!.hardLimit) <= Math.max(limits.hardLimit, used.money));
      for (const one of members) {
        assert(one.allotment!.streams >= slotsOf(one, MOMENT));
        assert(one.allotment!.hardLimit >= one.spent + heldBy(one, MOMENT));
        assertEquals(one.allotment!.of, limits);
      }
      const own = shards[shard]!;
      const free = Math.max(0, limits.streams - used.streams);
      const has = own.allotment!.streams - slotsOf(own, MOMENT);
      assert(has >= Math.min(free, need.streams), `${has} of ${free}`);
    }
  }
});
