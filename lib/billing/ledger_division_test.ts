import { assert, assertEquals } from "@std/assert";
import { seeded } from "@/tests/support/flaky_kv.ts";
import {
  allottedLimits,
  createSnapshot,
  divide,
  type Division,
  freeze,
  isFrozen,
  type LedgerSnapshot,
  mergeShards,
  spentElsewhere,
} from "./ledger_division.ts";
import { countSlots, type Ledger, sumHolds, type TenantLimits } from "./ledger.ts";
import { dayOf } from "../platform/utc_day.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const PERIOD = dayOf(NOON);
const LIMITS = { streams: 10, hardLimit: 1_000 };

function ledger(of: Partial<Ledger> = {}): Ledger {
  return { v: 1, period: PERIOD, spent: 0, runs: {}, ...of };
}

const running = (hold: number) => ({ until: NOON + 30_000, hold });

/** What a shard gets when it requests more, after all were frozen. */
function divideFor(
  ledgers: Ledger[],
  { shard, need = { streams: 0, hardLimit: 0 }, limits = LIMITS, division }: {
    shard: number;
    need?: TenantLimits;
    limits?: TenantLimits;
    division?: Division | undefined;
  },
): Division {
  const request = { shard, need, limits };
  const frozen = freeze(createSnapshot(division, ledgers, NOON), request);
  return divide(createSnapshot(frozen, ledgers, NOON), request);
}

const allotments = ({ shards }: Division) =>
  Object.entries(shards).map(([i, { streams, hardLimit }]) => [Number(i), streams, hardLimit]);

Deno.test("divide: gives the requesting shard what it needs, and each active one half of the rest", () => {
  const ledgers = [ledger({ runs: { a: running(100) } }), ledger(), ledger()];
  const division = divideFor(ledgers, { shard: 2, need: { streams: 1, hardLimit: 300 } });
  // 1 of 9 slots and 300 of 900 are needed; the rest is halved.
  assertEquals(allotments(division), [[0, 5, 400], [2, 5, 600]]);
});

Deno.test("divide: gives everything free to the only active shard, within the limits", () => {
  const ledgers = [ledger({ spent: 900 }), ledger()];
  const division = divideFor(ledgers, { shard: 1, need: { streams: 1, hardLimit: 400 } });
  assertEquals(allotments(division), [[0, 0, 900], [1, 10, 100]]);
  const limits = { streams: 2, hardLimit: 500 };
  assertEquals(allotments(divideFor(ledgers, { shard: 1, limits, division })), [[0, 0, 900], [
    1,
    2,
    0,
  ]]);
  assertEquals(spentElsewhere(division, { shard: 1, period: PERIOD }), 900);
  assertEquals(spentElsewhere(division, { shard: 1, period: "2026-01-03" }), 0);
});

Deno.test("freeze: no shard can use more until the limits are divided again", () => {
  const ledgers = [ledger({ spent: 5 }), ledger()];
  const first = divideFor(ledgers, { shard: 1 });
  const frozen = freeze(createSnapshot(first, ledgers, NOON), {
    ...{ shard: 0, limits: LIMITS, need: LIMITS },
  });
  assertEquals(allotments(frozen), [[0, 0, 0], [1, 0, 0]]);
  assertEquals(frozen.revision, first.revision + 1);
  assert(isFrozen(createSnapshot(frozen, ledgers, NOON), LIMITS));
  // Not frozen under other limits or on another day: usage may have grown meanwhile.
  assert(!isFrozen(createSnapshot(frozen, ledgers, NOON), { ...LIMITS, streams: 9 }));
  assert(!isFrozen(createSnapshot(frozen, ledgers, NOON + 86_400_000), LIMITS));
});

Deno.test("allottedLimits: a division is void on another day and under other limits", () => {
  const division = divideFor([ledger(), ledger()], { shard: 1 });
  const streams = (shard: number, limits = LIMITS, period = PERIOD) =>
    allottedLimits(division, { limits, shard, period })?.streams;
  assertEquals([streams(0), streams(1), streams(2)], [0, 10, undefined]);
  assertEquals(streams(1, { ...LIMITS, streams: 9 }), undefined);
  assertEquals(streams(1, LIMITS, "2026-01-03"), undefined);
});

Deno.test("allottedLimits: without a division the first shard has the whole limits, others none", () => {
  const of = (shard: number) =>
    allottedLimits(undefined, { limits: LIMITS, shard, period: PERIOD });
  assertEquals([of(0), of(1)], [LIMITS, undefined]);
});

Deno.test("createSnapshot: all shards use the day that one of them, or the division, has started", () => {
  const beforeMidnight = Date.UTC(2026, 0, 2, 23, 58);
  const shards = [ledger({ spent: 7 }), ledger({ period: "2026-01-03", spent: 2 }), undefined];
  const days = ({ ledgers, moment }: LedgerSnapshot) => [
    moment.period,
    ...ledgers.map(({ period, spent }) => [period, spent]),
  ];
  const begun = ["2026-01-03", ["2026-01-03", 0], ["2026-01-03", 2], ["2026-01-03", 0]];
  assertEquals(days(createSnapshot(undefined, shards, beforeMidnight)), begun);
  const division = { ...divideFor([ledger()], { shard: 0 }), period: "2026-01-03" };
  assertEquals(days(createSnapshot(division, [shards[0]], beforeMidnight)), begun.slice(0, 2));
});

Deno.test("divide: for any request the allotments add up to what is used and what is free", () => {
  const random = seeded(21);
  const upTo = (n: number) => Math.floor(random() * (n + 1));
  for (let round = 0; round < 300; round++) {
    const ledgers = Array.from({ length: 1 + upTo(7) }, (_, i) => {
      const runs = Array.from({ length: upTo(3) }, (_, n) => [`${i}-${n}`, running(upTo(100))]);
      return ledger({ spent: upTo(150), runs: Object.fromEntries(runs) });
    });
    let division: Division | undefined;
    // Every shard in use has requested once.
    for (let shard = 0; shard < ledgers.length; shard++) {
      division = divideFor(ledgers, { shard, division });
    }
    const need = { streams: upTo(3), hardLimit: upTo(500) };
    const shard = upTo(ledgers.length - 1);
    const limits = { streams: 5 + upTo(20), hardLimit: 200 + upTo(2_000) };
    division = divideFor(ledgers, { shard, limits, need, division });
    const snapshot = createSnapshot(division, ledgers, NOON);
    const { moment } = snapshot;
    const whole = mergeShards(snapshot);
    const used = {
      streams: countSlots(whole, moment),
      hardLimit: whole.spent + sumHolds(whole, moment),
    };
    for (const field of ["streams", "hardLimit"] as const) {
      const sum = Object.values(division.shards).reduce((all, one) => all + one[field], 0);
      assertEquals(sum, Math.max(limits[field], used[field]));
      const usedHere = field === "streams"
        ? countSlots(ledgers[shard]!, moment)
        : ledgers[shard]!.spent + sumHolds(ledgers[shard]!, moment);
      const free = Math.max(0, limits[field] - used[field]);
      assert(division.shards[shard]![field] - usedHere >= Math.min(free, need[field]));
    }
  }
});
