import { assert, assertEquals } from "@std/assert";
import {
  frozenRuntime,
  ledgerOf,
  NOON,
  request,
  settlement,
  TENANT,
  usageOf,
} from "@/tests/support/admissions.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { runFacts, runRequest } from "@/tests/support/run_requests.ts";
import { newActiveRun } from "../store/runs/active_run.ts";
import { keys } from "../store/keys/keys.ts";
import { interruptedEnd } from "../store/runs/run_record.ts";
import { NO_AGENT } from "../store/runs/usage_rows.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { Admission } from "./admission.ts";
import type { BillingObserver } from "./billing_observer.ts";
import { findLease, type Ledger } from "./ledger.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { NonRunCharges, type NonRunCost } from "./non_run_charges.ts";

/** Adds up the events of all processes that report to it. */
class Sums implements BillingObserver {
  admitted = 0;
  settled = 0;
  inputTokens = 0;
  cost = 0;
  abandoned = 0;

  onAdmitted(): void {
    this.admitted++;
  }

  onSettled(run: { inputTokens: number; cost: number }): void {
    this.settled++;
    this.inputTokens += run.inputTokens;
    this.cost += run.cost;
  }

  onCharged(used: readonly { inputTokens: number; cost: number }[]): void {
    for (const one of used) {
      this.inputTokens += one.inputTokens;
      this.cost += one.cost;
    }
  }

  onAbandoned(cost: number): void {
    this.abandoned += cost;
    this.cost += cost;
  }
}

const limits = {
  ...DEFAULT_LIMITS,
  ...{ ipRequests: 1e6, ipMessages: 1e6, streams: 500, hardDailyCost: 1e9 },
};
const used: NonRunCost = {
  ...{ agentId: NO_AGENT, source: { kind: "key", id: "knowledge" }, provider: "vendor_a" },
  ...{ model: "mid", inputTokens: 40, cost: 100 },
};

Deno.test("BillingObserver: two processes report exactly what is in the ledger and the usage, although a third of the commits fail or succeed without an answer", async () => {
  using kv = await Deno.openKv(":memory:");
  const random = seeded(7);
  const flaky = flakyKv(kv, { random, ambiguous: 0.2, locked: 0.15, turns: 3 });
  const sums = new Sums();
  const runtime = frozenRuntime;
  const processes = [1, 2].map(() => {
    const committer = new GroupCommitter(flaky.kv, { runtime });
    const deps = { runtime, observer: sums };
    return {
      admission: new Admission(committer, deps),
      charges: new NonRunCharges(committer, { ...deps, limitsOf: () => Promise.resolve(limits) }),
    };
  });
  const RUNS = 150;
  await Promise.all(Array.from({ length: RUNS }, async (_, n) => {
    const { admission, charges } = processes[n % 2]!;
    await admission.admit({ ...request(n, { hold: 1_000, limits }), id: n });
    await admission.settle(request(n).run.runId, settlement(n));
    if (n % 3 > 0) return;
    const hold = await charges.reserve(TENANT, 300);
    await charges.end(hold!, { used: [used, used] });
  }));
  assertEquals([sums.admitted, sums.settled], [RUNS, RUNS]);
  const { spent } = await ledgerOf(kv);
  const usage = await usageOf(kv);
  assertEquals([sums.cost, sums.cost], [spent, usage.cost]);
  assertEquals(sums.inputTokens, usage.inputTokens);
  assert(spent > 0 && usage.runs === RUNS);
  for (const { admission } of processes) admission.close();
});

Deno.test("BillingObserver: a run that another process settles is reported by that one alone", async () => {
  using kv = await Deno.openKv(":memory:");
  const facts = runFacts(1);
  const runtime = new FakeRuntime(facts.startedAt);
  const [own, others] = [new Sums(), new Sums()];
  const [owner, other] = [own, others].map((observer) =>
    new Admission(new GroupCommitter(kv, { runtime }), { runtime, observer })
  );
  await owner!.admit(runRequest(1, { hold: 50 }));
  const key = keys.tenantLedger(facts.tenant);
  const lease = findLease((await kv.get<Ledger>(key)).value!, facts.runId)!;
  const live = newActiveRun(facts, [{ kind: "tenant", key: key.map(String) }]);
  await other!.settleOrphaned(live, { lease, end: interruptedEnd(facts) });
  await other!.settleOrphaned(live, { lease, end: interruptedEnd(facts) });
  await owner!.settle(facts.runId, settlement(7));
  assertEquals([own.admitted, own.settled, own.cost], [1, 0, 0]);
  assertEquals([others.admitted, others.settled, others.cost], [0, 1, 50]);
  owner!.close();
});

Deno.test("BillingObserver: money that a dead process had reserved outside of runs is reported once", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime(NOON);
  const sums = new Sums();
  const charges = new NonRunCharges(new GroupCommitter(kv, { runtime }), {
    ...{ runtime, observer: sums, limitsOf: () => Promise.resolve(limits) },
  });
  const tenant = fakeUuid(801);
  await charges.reserve(tenant, 300);
  await runtime.advance(31 * 60_000);
  for (let n = 0; n < 2; n++) await charges.reserve(tenant, 10);
  const { value: ledger } = await kv.get<Ledger>(keys.tenantLedger(tenant));
  assertEquals([sums.abandoned, ledger?.spent], [300, 300]);
});
