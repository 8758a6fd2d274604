import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  AGENT,
  count,
  frozenRuntime,
  ledgerOf,
  NOON,
  openAdmission,
  outcome,
  request,
  settlement,
  TENANT,
  TODAY,
  valuesOf,
} from "@/tests/support/admissions.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { OPEN_LIMITS, RUN_END } from "@/tests/support/run_requests.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import { sha256 } from "../platform/crypto/signer.ts";
import { ApiError } from "../schemas/api_error.ts";
import { keys } from "../store/keys/keys.ts";
import { type ActiveRun, activeRunSchema } from "../store/runs/active_run.ts";
import { SessionStore } from "../store/credentials/session_store.ts";
import type { RunEnd, RunRecord } from "../store/runs/run_record.ts";
import { Admission } from "./admission.ts";
import type { RunRequest } from "./decide_run.ts";
import { findLease, HEARTBEAT_MS, LEASE_MS, type Ledger, sumHolds } from "./ledger.ts";
import { dayOf } from "../platform/utc_day.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

describe("Admission", () => {
  it("writes nothing for a rejection, and reads nothing for a full window", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const admission = openAdmission(watched);
    const limits = { ...DEFAULT_LIMITS, ipRequests: 1 };
    await count(admission, { address: "a" }, limits);
    const before = { ...traffic };
    assertEquals(await outcome(count(admission, { address: "a" }, limits)), "ip");
    assertEquals(traffic, before);
  });

  it("admits a cached message with one commit and settles it with one", async () => {
    using kv = await Deno.openKv(":memory:");
    const { kv: watched, traffic } = flakyKv(kv, { random: seeded(1) });
    const admission = openAdmission(watched);
    await admission.admit(request(1));
    assertEquals(traffic, { reads: 1, commits: 1 });
    await admission.settle("run-1", settlement(5));
    // The day's usage row is read once, at the first settlement of the process.
    assertEquals(traffic, { reads: 2, commits: 2 });
    await admission.admit(request(2));
    await admission.settle("run-2", settlement(5));
    assertEquals(traffic, { reads: 2, commits: 4 });
    assertEquals((await ledgerOf(kv)).spent, 10);
  });

  it("keeps a run's slot until it is settled, even if its lease has lapsed by a fast clock", async () => {
    using kv = await Deno.openKv(":memory:");
    const runtime = new FakeRuntime();
    const fast = { ...runtime, now: () => runtime.now() + LEASE_MS + 1 };
    const [behind, ahead] = [openAdmission(kv, runtime), openAdmission(kv, fast)];
    const limits = { ...OPEN_LIMITS, streams: 2 };
    for (const n of [1, 2]) await behind.admit(request(n, { limits }));
    assertEquals(await outcome(ahead.admit(request(3, { limits }))), "tenant_streams");
    await behind.settle("run-1", settlement(0));
    assertEquals(await outcome(ahead.admit(request(3, { limits }))), "admitted");
    for (const admission of [behind, ahead]) admission.close();
  });

  it("returns a wait until midnight if the day's budget is spent, and a short one if it is only held", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = openAdmission(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 100 }));
    const held = await assertRejects(
      () => admission.admit(request(2, { limits, hold: 1 })),
      ApiError,
    );
    assertEquals([held.code, held.headers["retry-after"]], ["plan_limit_exceeded", "2"]);
    await admission.settle("run-1", settlement(100));
    const spent = await assertRejects(() => admission.admit(request(3, { limits })), ApiError);
    assertEquals([spent.code, spent.headers["retry-after"]], ["plan_limit_exceeded", "43200"]);
    admission.close();
  });

  it("returns a wait until midnight if the day's rest is less than the minimum hold", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = openAdmission(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 95 }));
    await admission.settle("run-1", settlement(95));
    const error = await assertRejects(
      () => admission.admit(request(2, { limits, hold: 6 })),
      ApiError,
    );
    assertEquals([error.code, error.headers["retry-after"]], ["plan_limit_exceeded", "43200"]);
    assertEquals(await outcome(admission.admit(request(3, { limits, hold: 5 }))), "admitted");
    admission.close();
  });

  it("returns `gone` for a session that has ended", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = openAdmission(kv);
    assertEquals(await outcome(admission.admit(request(1, { sessionHash: "none" }))), "gone");
    admission.close();
  });

  it("grants the rest if it covers the minimum hold", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = openAdmission(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 70 }));
    const admitted = await admission.admit(request(2, { limits, hold: 70, minHold: 10 }));
    assertEquals(admitted.kind === "admitted" && admitted.hold, 30);
    assertEquals(
      await outcome(admission.admit(request(3, { limits, hold: 5 }))),
      "tenant_daily_cost",
    );
    admission.close();
  });

  it("raises an active run's hold within the daily limit, and returns undefined beyond it", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = openAdmission(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 40 }));
    await admission.admit(request(2, { limits, hold: 30 }));
    assertEquals(await admission.reserve("run-1", { hold: 90, least: 60 }), 70);
    assertEquals(await admission.reserve("run-1", { hold: 90, least: 71 }), undefined);
    assertEquals(sumHolds(await ledgerOf(kv), TODAY), 100);
    assertEquals(await admission.reserve("run-9", { hold: 1, least: 0 }), undefined);
    admission.close();
  });

  it("charges reported cost beyond the hold up to the limits, and records the rest as excess", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = openAdmission(kv);
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100 };
    await admission.admit(request(1, { limits, hold: 10 }));
    await admission.admit(request(2, { limits, hold: 30 }));
    assertEquals(await admission.settle("run-1", settlement(500)), { charged: 70, excess: 430 });
    const capped = { end: RUN_END, cost: 25, ceiling: 20 };
    assertEquals(await admission.settle("run-2", capped), { charged: 20, excess: 5 });
    assertEquals((await ledgerOf(kv)).spent, 90);
    admission.close();
  });

  it("enforces the plan's limits per session and per address and day", async () => {
    using kv = await Deno.openKv(":memory:");
    const admission = openAdmission(kv);
    const sessions = new SessionStore(kv, frozenRuntime);
    const { sessionToken } = await sessions.mint(TENANT, { agentId: AGENT });
    const sessionHash = await sha256(sessionToken);
    const limits = { ...OPEN_LIMITS, sessionStreams: 1, sessionCost: 50, ipDailyCost: 80 };
    const ask = (n: number, change: Partial<RunRequest> = {}) =>
      outcome(admission.admit(request(n, { limits, sessionHash, hold: 30, ...change })));
    assertEquals([await ask(1), await ask(2)], ["admitted", "session_streams"]);
    await admission.settle("run-1", settlement(30));
    assertEquals(await ask(3), "session_cost");
    const elsewhere = { sessionHash: undefined };
    assertEquals([await ask(4, elsewhere), await ask(5, elsewhere)], ["admitted", "ip_daily_cost"]);
    assertEquals(await ask(6, { ...elsewhere, caller: { address: "address-2" } }), "admitted");
    admission.close();
  });

  it("charges an orphaned run its whole hold, unless its lease was renewed", async () => {
    using kv = await Deno.openKv(":memory:");
    const runtime = new FakeRuntime(NOON);
    const [dead, alive] = [openAdmission(kv, runtime), openAdmission(kv, runtime)];
    await dead.admit(request(1, { hold: 70 }));
    dead.close();
    const [live] = await valuesOf<ActiveRun>(kv, keys.activeRuns());
    const end: RunEnd = { ...RUN_END, finishReason: "interrupted" };
    const lease = findLease(await ledgerOf(kv), "run-1")!;
    const older = { ...lease, until: lease.until - 1 };
    const stored = activeRunSchema.parse(live);
    assertEquals(await alive.settleOrphaned(stored, { end, lease: older }), undefined);
    assertEquals(await alive.settleOrphaned(live!, { end, lease }), { charged: 70, excess: 0 });
    assertEquals(await alive.settleOrphaned(live!, { end, lease }), undefined);
    const ledger = await ledgerOf(kv);
    assertEquals([ledger.spent, ledger.runs], [70, {}]);
    const [record] = await valuesOf<RunRecord>(kv, ["runs", TENANT]);
    assertEquals([record?.finishReason, record?.cost], ["interrupted", 70]);
  });

  it("reports a run that others settled while its process stood still", async () => {
    using kv = await Deno.openKv(":memory:");
    const runtime = new FakeRuntime(NOON);
    const lost = Promise.withResolvers<string>();
    const committer = new GroupCommitter(kv, { runtime });
    const admission = new Admission(committer, { runtime, onLost: lost.resolve });
    await admission.admit(request(1, { hold: 70 }));
    const key = keys.tenantLedger(TENANT);
    const stored = (await kv.get<Ledger>(key)).value!;
    await kv.set(key, { ...stored, runs: {} });
    await runtime.advance(HEARTBEAT_MS);
    assertEquals(await lost.promise, "run-1");
    admission.close();
  });

  for (const step of [6 * 60_000, 26 * 3_600_000, -3_600_000]) {
    it(`keeps its runs when the clock is set by ${step} ms`, async () => {
      using kv = await Deno.openKv(":memory:");
      const clock = new FakeRuntime(NOON);
      let set = 0;
      const runtime = { ...clock, now: () => clock.now() + set };
      const lost: string[] = [];
      const committer = new GroupCommitter(kv, { runtime });
      const admission = new Admission(committer, { runtime, onLost: (runId) => lost.push(runId) });
      const limits = { ...OPEN_LIMITS, streams: 1 };
      await admission.admit(request(1, { hold: 70, limits }));
      set = step;
      const key = keys.tenantLedger(TENANT);
      for (let beats = 0; beats < 3; beats++) {
        await clock.advance(HEARTBEAT_MS);
        // Queued behind the renewal.
        const decide = (tx: Transaction) => findLease(tx.get<Ledger>(key), "run-1")?.until;
        const until = await committer.run({ keys: [key], decide });
        assertEquals([lost, until], [[], runtime.now() + LEASE_MS]);
      }
      assertEquals(await outcome(admission.admit(request(2, { limits }))), "tenant_streams");
      assertEquals(await admission.settle("run-1", settlement(5)), { charged: 5, excess: 0 });
      admission.close();
    });
  }

  it("enforces the daily limit once even if the clock is set past midnight and back", async () => {
    using kv = await Deno.openKv(":memory:");
    let now = NOON;
    const admission = openAdmission(kv, { ...frozenRuntime, now: () => now });
    const limits = { ...OPEN_LIMITS, hardDailyCost: 100, ipDailyCost: 90 };
    const spend = async (n: number, cost: number) => {
      const admitted = await outcome(admission.admit(request(n, { limits, hold: cost })));
      if (admitted === "admitted") await admission.settle(`run-${n}`, settlement(cost));
      return admitted;
    };
    assertEquals(await spend(1, 85), "admitted");
    now = NOON + 26 * 3_600_000;
    assertEquals(await spend(2, 80), "admitted");
    now = NOON + 1;
    assertEquals([await spend(3, 6), await spend(4, 5)], ["ip_daily_cost", "admitted"]);
    const { spent, earlier } = (await kv.get<Ledger>(keys.tenantLedger(TENANT))).value!;
    assertEquals([spent, earlier], [90, { [dayOf(NOON + 26 * 3_600_000)]: 80 }]);
    now = NOON + 25 * 3_600_000;
    assertEquals(await spend(5, 21), "tenant_daily_cost");
    admission.close();
  });
});
