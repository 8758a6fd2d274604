import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { seeded } from "../../tests/support/flaky_kv.ts";
import {
  admitRun,
  currentLedger,
  heldBy,
  LEASE_MS,
  type LedgerResult,
  raiseHold,
  renewLeases,
  settleRun,
  type TenantLedger,
  untilMidnight,
} from "./tenant_ledger.ts";

const LIMITS = { streams: 10, hardLimit: 5_000_000 };
const NOON = Date.UTC(2026, 0, 2, 12);

function admitted(result: LedgerResult): TenantLedger {
  if ("refused" in result) throw new Error(result.refused);
  return result.ledger;
}

describe("the tenant's ledger", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`never spends or holds past the hard limit, reaches it, and balances (seed ${seed})`, () => {
      const random = seeded(seed);
      let ledger: TenantLedger | undefined;
      let now = NOON;
      let settled = 0;
      let refusedForMoney = 0;
      const running = new Map<string, number>();
      for (let i = 0; i < 3_000; i++) {
        now += Math.floor(random() * 1_000);
        const ids = [...running.keys()];
        ledger = renewLeases(ledger, { runIds: ids, now });
        if (running.size > 0 && random() < 0.5) {
          const runId = ids[Math.floor(random() * ids.length)]!;
          const cost = Math.floor(random() * (running.get(runId)! + 1));
          ledger = settleRun(ledger, { runId, cost, now });
          settled += cost;
          running.delete(runId);
        } else {
          const hold = Math.floor(random() * 20_000);
          const result = admitRun(ledger, { runId: `run-${i}`, hold, now, limits: LIMITS });
          if ("ledger" in result) {
            ledger = result.ledger;
            running.set(`run-${i}`, hold);
          } else if (result.refused === "tenant_daily_cost") refusedForMoney++;
        }
        assert(ledger.spent + heldBy(ledger) <= LIMITS.hardLimit);
        assert(Object.keys(ledger.runs).length <= LIMITS.streams);
        assertEquals(ledger.spent, settled);
      }
      assert(refusedForMoney > 0, "the limit was reached");
      assert(settled > LIMITS.hardLimit - 200_000, `only ${settled} of the day was used`);
    });
  }

  it("lets the same run in once, however often its commit is repeated", () => {
    const run = { runId: "a", hold: 100, now: NOON, limits: LIMITS };
    const once = admitted(admitRun(undefined, run));
    assertEquals(admitted(admitRun(once, run)), once);
    const ended = settleRun(once, { runId: "a", cost: 40, now: NOON });
    assertEquals(settleRun(ended, { runId: "a", cost: 40, now: NOON }), ended);
    assertEquals(ended.spent, 40);
  });

  it("frees a dead process's slot after the lease and charges what it held", () => {
    const ledger = admitted(
      admitRun(undefined, { runId: "a", hold: 700, now: NOON, limits: LIMITS }),
    );
    assertEquals(Object.keys(currentLedger(ledger, NOON + LEASE_MS - 1).runs), ["a"]);
    const after = currentLedger(ledger, NOON + LEASE_MS);
    assertEquals([after.runs, after.spent], [{}, 700]);
  });

  it("does not bring a lapsed lease back", () => {
    const ledger = admitted(
      admitRun(undefined, { runId: "a", hold: 700, now: NOON, limits: LIMITS }),
    );
    const now = NOON + LEASE_MS + 1;
    assertEquals(renewLeases(ledger, { runIds: ["a"], now }).runs, {});
  });

  it("tells money that is spent from money that is only held", () => {
    const tight = { streams: 10, hardLimit: 100 };
    const held = admitted(
      admitRun(undefined, { runId: "a", hold: 80, now: NOON, limits: tight }),
    );
    const next = { runId: "b", hold: 30, now: NOON, limits: tight };
    assertEquals(admitRun(held, next), { refused: "tenant_daily_cost", spent: false });
    const spent = settleRun(held, { runId: "a", cost: 100, now: NOON });
    const free = { ...next, hold: 0 };
    assertEquals(admitRun(spent, free), { refused: "tenant_daily_cost", spent: true });
  });

  it("raises a hold within the day's money, counting the run's own hold once", () => {
    const tight = { streams: 10, hardLimit: 100 };
    const held = admitted(
      admitRun(undefined, { runId: "a", hold: 80, now: NOON, limits: tight }),
    );
    const more = { runId: "a", now: NOON, limits: tight };
    assertEquals(heldBy(admitted(raiseHold(held, { ...more, hold: 100 }))), 100);
    const refused = { refused: "tenant_daily_cost", spent: false } as const;
    assertEquals(raiseHold(held, { ...more, hold: 101 }), refused);
  });

  it("begins each UTC day at nothing and carries running runs over", () => {
    const late = Date.UTC(2026, 0, 2, 23, 59, 50);
    let ledger = admitted(
      admitRun(undefined, { runId: "a", hold: 9, now: late, limits: LIMITS }),
    );
    ledger = { ...ledger, spent: 4_000_000 };
    const next = currentLedger(ledger, late + 15_000);
    assertEquals([next.day, next.spent, heldBy(next)], ["2026-01-03", 0, 9]);
    assertEquals(untilMidnight(late), 10_000);
  });
});
