import { assertEquals } from "@std/assert";
import { frozenRuntime, outcome, request, TENANT } from "@/tests/support/admissions.ts";
import { OPEN_LIMITS } from "@/tests/support/run_requests.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { keys } from "../store/keys/keys.ts";
import { Admission } from "./admission.ts";
import type { Division } from "./ledger_division.ts";
import type { Lease, Ledger } from "./ledger.ts";
import { dayOf } from "../platform/utc_day.ts";

const LIMITS = { ...OPEN_LIMITS, streams: 800, hardDailyCost: 10_000 };

Deno.test("reserve: an active run gets a larger hold even if other shards are full of runs", async () => {
  using kv = await Deno.openKv(":memory:");
  const admission = new Admission(new GroupCommitter(kv, { runtime: frozenRuntime }), {
    runtime: frozenRuntime,
  });
  assertEquals(await outcome(admission.admit(request(0, { hold: 5, limits: LIMITS }))), "admitted");
  await fillOtherShard(kv, 799);
  assertEquals(await admission.reserve("run-0", { hold: 50, least: 50 }), 50);
  assertEquals(await outcome(admission.admit(request(1, { limits: LIMITS }))), "tenant_streams");
  admission.close();
});

/** Another process has divided the ledger and has this many runs. */
async function fillOtherShard(kv: Deno.Kv, count: number): Promise<void> {
  const period = dayOf(frozenRuntime.now());
  const lease: Lease = { until: frozenRuntime.now() + 30_000, hold: 1 };
  const runs = Array.from({ length: count }, (_, n) => [`other-${n}`, lease] as const);
  const ledger: Ledger = { v: 1, period, spent: 0, runs: Object.fromEntries(runs) };
  const allotment = (streams: number, hardLimit: number) => {
    return { streams, hardLimit, elsewhere: 0, askedAt: 0 };
  };
  const division: Division = {
    ...{ v: 1, revision: 1, period, frozen: false },
    of: { streams: LIMITS.streams, hardLimit: LIMITS.hardDailyCost },
    shards: { 0: allotment(1, 5), 1: allotment(799, 9_995) },
  };
  await kv.set(keys.tenantLedger(TENANT, 1), ledger);
  await kv.set(keys.ledgerDivision(TENANT), division);
}
