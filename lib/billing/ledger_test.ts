import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import { seeded } from "@/tests/support/flaky_kv.ts";
import {
  chargeRun,
  countSlots,
  currentLedger,
  LEASE_MS,
  type Ledger,
  ledgerRejection,
  remainingBudget,
  renewLeases,
  setLease,
  sumHolds,
} from "./ledger.ts";
import { dayOf, untilMidnight } from "../platform/utc_day.ts";

const LIMITS = { streams: 10, hardLimit: 5_000_000 };
const NOON = Date.UTC(2026, 0, 2, 12);
const at = (now: number) => ({ now, period: dayOf(now) });

/** The ledger with one more run, or the rejection. */
function admit(
  stored: Ledger | undefined,
  run: { runId: string; hold: number; now: number; limits?: typeof LIMITS },
) {
  const { runId, hold, now, limits = LIMITS } = run;
  const ledger = currentLedger(stored, at(now));
  const rejection = ledgerRejection(ledger, { minHold: hold, limits, moment: at(now) });
  return rejection ?? setLease(ledger, { runId, hold, now });
}

function admitted(result: ReturnType<typeof admit>): Ledger {
  if ("rejected" in result) throw new Error(result.rejected);
  return result;
}

describe("a ledger", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`never exceeds the hard limit, reaches it, and balances (seed ${seed})`, () => {
      const random = seeded(seed);
      let ledger: Ledger | undefined;
      let now = NOON;
      let settled = 0;
      let refusedForMoney = 0;
      const running = new Map<string, number>();
      for (let i = 0; i < 3_000; i++) {
        now += Math.floor(random() * 1_000);
        const ids = [...running.keys()];
        ledger = renewLeases(currentLedger(ledger, at(now)), { runIds: ids, now });
        if (running.size > 0 && random() < 0.5) {
          const runId = ids[Math.floor(random() * ids.length)]!;
          const cost = Math.floor(random() * (running.get(runId)! + 1));
          ledger = chargeRun(ledger, { runId, cost });
          settled += cost;
          running.delete(runId);
        } else {
          const hold = Math.floor(random() * 20_000);
          const result = admit(ledger, { runId: `run-${i}`, hold, now });
          if (!("rejected" in result)) {
            ledger = result;
            running.set(`run-${i}`, hold);
          } else if (result.rejected === "cost") refusedForMoney++;
        }
        assert(ledger.spent + sumHolds(ledger, at(now)) <= LIMITS.hardLimit);
        assert(countSlots(ledger, at(now)) <= LIMITS.streams);
        assertEquals(ledger.spent, settled);
      }
      assert(refusedForMoney > 0, "the limit was reached");
      assert(settled > LIMITS.hardLimit - 200_000, `only ${settled} of the day was used`);
    });
  }

  it("charges a run once even if it is settled repeatedly", () => {
    const once = admitted(admit(undefined, { runId: "a", hold: 100, now: NOON }));
    const ended = chargeRun(once, { runId: "a", cost: 40 });
    assertEquals(chargeRun(ended, { runId: "a", cost: 40 }), ended);
    assertEquals(ended.spent, 40);
  });

  it("counts a lapsed lease's slot and hold until it is settled, its slot for minutes at most", () => {
    const ledger = admitted(admit(undefined, { runId: "a", hold: 700, now: NOON }));
    const over = NOON + LEASE_MS + 5 * 60_000;
    assertEquals(countSlots(ledger, at(over - 1)), 1);
    assertEquals(countSlots(ledger, at(over)), 0);
    assertEquals(sumHolds(ledger, at(over)), 700);
    const settled = chargeRun(ledger, { runId: "a", cost: 700 });
    assertEquals([settled.spent, settled.runs], [700, {}]);
  });

  it("renews a lease however long ago it lapsed, but not one that was settled", () => {
    const ledger = admitted(admit(undefined, { runId: "a", hold: 700, now: NOON }));
    for (const late of [LEASE_MS + 1, LEASE_MS + 5 * 60_000, 26 * 3_600_000]) {
      const now = NOON + late;
      const { runs } = renewLeases(ledger, { runIds: ["a", "settled"], now });
      assertEquals(runs, { a: { until: now + LEASE_MS, hold: 700 } });
    }
  });

  it("distinguishes spent money from held money", () => {
    const limits = { streams: 10, hardLimit: 100 };
    const held = admitted(admit(undefined, { runId: "a", hold: 80, now: NOON, limits }));
    const next = { runId: "b", hold: 30, now: NOON, limits };
    assertEquals(admit(held, next), { rejected: "cost", isSpent: false });
    const spent = chargeRun(held, { runId: "a", cost: 100 });
    assertEquals(admit(spent, { ...next, hold: 0 }), { rejected: "cost", isSpent: true });
  });

  it("excludes a run's own hold from its remaining budget", () => {
    const ledger = admitted(admit(undefined, { runId: "a", hold: 80, now: NOON }));
    const limits = { hardLimit: 100 };
    const moment = at(NOON);
    assertEquals(remainingBudget(ledger, { limits, moment }), 20);
    assertEquals(remainingBudget(ledger, { runId: "a", limits, moment }), 100);
    assertEquals(remainingBudget(ledger, { limits: {}, moment }), Infinity);
  });

  it("starts each UTC day at zero, keeps active runs, and drops yesterday's lapsed holds", () => {
    const late = Date.UTC(2026, 0, 2, 23, 59, 50);
    let ledger = admitted(admit(undefined, { runId: "a", hold: 9, now: late }));
    ledger = { ...ledger, spent: 4_000_000 };
    const soon = late + 15_000;
    const next = currentLedger(ledger, at(soon));
    assertEquals([next.period, next.spent, sumHolds(next, at(soon))], ["2026-01-03", 0, 9]);
    const dead = admitted(admit(undefined, { runId: "b", hold: 9, now: late - LEASE_MS }));
    assertEquals(sumHolds(currentLedger(dead, at(soon)), at(soon)), 0);
    assertEquals(untilMidnight(late), 10_000);
  });

  it("never exceeds the size of a stored value, lapsed runs included", async () => {
    using kv = await Deno.openKv(":memory:");
    const limits = { streams: 1_000, hardLimit: Number.MAX_SAFE_INTEGER };
    let ledger = admitted(admit(undefined, { runId: fakeUuid(0), hold: 1, now: 0 }));
    for (let n = 1; n < 800; n++) {
      const run = { runId: fakeUuid(n), hold: 2 ** 40, now: n * LEASE_MS, limits };
      ledger = admitted(admit({ ...ledger, period: dayOf(run.now) }, run));
    }
    const days = [1, 2, 3, 4].map((day) => [`2026-01-0${day}`, Number.MAX_SAFE_INTEGER]);
    await kv.set(["ledger"], { ...ledger, earlier: Object.fromEntries(days) });
    const next = { runId: "one more", hold: 1, now: 800 * LEASE_MS, limits };
    assertEquals(admit(ledger, next), { rejected: "streams" });
  });

  it("neither returns to yesterday for a slow clock nor stays in a day far ahead", () => {
    const midnight = NOON + untilMidnight(NOON);
    const begun = { v: 1, period: dayOf(midnight), spent: 40, runs: {} } as const;
    const behind = { now: midnight - 1_000, period: dayOf(midnight - 1_000) };
    assertEquals(currentLedger(begun, behind), begun);
    const wrong = { ...begun, period: "2031-01-01" };
    const { period, spent } = currentLedger(wrong, behind);
    assertEquals([period, spent], [behind.period, 0]);
  });

  it("restores what a day had spent when a wrong clock left it and returned", () => {
    const charge = (ledger: Ledger | undefined, now: number, cost: number) => {
      const begun = admitted(admit(ledger, { runId: "a", hold: cost, now }));
      return chargeRun(begun, { runId: "a", cost });
    };
    const tomorrow = NOON + 26 * 3_600_000;
    let ledger = charge(undefined, NOON, 40);
    ledger = charge(ledger, tomorrow, 7);
    ledger = charge(ledger, NOON + 1, 2);
    assertEquals([ledger.spent, ledger.earlier], [42, { [dayOf(tomorrow)]: 7 }]);
    // The clock gets there in real time.
    assertEquals(currentLedger(ledger, at(tomorrow)).spent, 7);
    assertEquals(currentLedger(currentLedger(ledger, at(tomorrow)), at(NOON)).spent, 42);
  });

  it("remembers the last four days", () => {
    let ledger: Ledger | undefined;
    for (let day = 0; day < 9; day++) {
      const now = NOON + day * 86_400_000;
      ledger = chargeRun(setLease(currentLedger(ledger, at(now)), { runId: "a", hold: 1, now }), {
        runId: "a",
        cost: day,
      });
    }
    const days = [["06", 4], ["07", 5], ["08", 6], ["09", 7]] as const;
    const earlier = Object.fromEntries(days.map(([day, spent]) => [`2026-01-${day}`, spent]));
    assertEquals([ledger?.period, ledger?.spent, ledger?.earlier], ["2026-01-10", 8, earlier]);
  });

  it("has a single period if it has no days", () => {
    const moment = { now: NOON, period: "" };
    const ledger = setLease(currentLedger(undefined, moment), { runId: "a", hold: 5, now: NOON });
    const muchLater = { now: NOON + 3 * 86_400_000, period: "" };
    assertEquals(sumHolds(currentLedger(ledger, muchLater), muchLater), 5);
  });
});

describe("a ledger that is mutated", () => {
  const held: Ledger = {
    v: 1,
    period: dayOf(NOON),
    spent: 5,
    runs: { a: { until: NOON, hold: 1 } },
  };
  const changes = [
    (ledger: Ledger, isOwn: boolean) => setLease(ledger, { runId: "b", hold: 2, now: NOON }, isOwn),
    (ledger: Ledger, isOwn: boolean) => chargeRun(ledger, { runId: "a", cost: 3 }, isOwn),
    (ledger: Ledger, isOwn: boolean) => chargeRun(ledger, { runId: "gone", cost: 3 }, isOwn),
  ];
  for (const [n, change] of changes.entries()) {
    it(`is the batch's copy, with and without changes, today and tomorrow (${n})`, () => {
      for (const now of [NOON, NOON + 86_400_000]) {
        const before = structuredClone(held);
        const own = change(currentLedger(held, at(now)), false);
        const again = setLease(currentLedger(own, at(now)), { runId: "c", hold: 1, now }, true);
        assertEquals(held, before);
        const copied = change(currentLedger(before, at(now)), false);
        assertEquals(again, setLease(copied, { runId: "c", hold: 1, now }));
      }
    });
  }
});
