import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { newActiveRun } from "../store/runs/active_run.ts";
import { keys } from "../store/keys/keys.ts";
import { interruptedEnd } from "../store/runs/run_record.ts";
import { Admission } from "./admission.ts";
import { findLease, type Ledger } from "./ledger.ts";
import type { SettleHook } from "./decide_settlement.ts";

const FACTS = runFacts(1);
const KEY = keys.tenantLedger(FACTS.tenant);

Deno.test("Admission: settling returns an earlier settlement and its charge, but nothing for an active run", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime(FACTS.startedAt);
  const [owner, other] = [1, 2].map(() =>
    new Admission(new GroupCommitter(kv, { runtime }), { runtime })
  );
  await owner!.admit(runRequest(1, { hold: 50 }));
  const events: string[] = [];
  const hookOf = (who: string): SettleHook => ({
    keys: [],
    estimatedBytes: 0,
    write: () => void events.push(`${who} writes`),
    afterCommit: ({ late }) =>
      Promise.resolve(void events.push(`${who} ${late ? "late" : "done"}`)),
  });
  const live = newActiveRun(FACTS, [{ kind: "tenant", key: KEY.map(String) }]);
  const lease = findLease((await kv.get<Ledger>(KEY)).value!, FACTS.runId)!;
  const dead = { lease, end: interruptedEnd(FACTS), settleHook: hookOf("other") };
  const renewed = { ...dead, lease: { ...lease, until: lease.until - 1 } };
  assertEquals(await other!.settleOrphaned(live, renewed), undefined);
  assertEquals(events, []);
  assertEquals(await other!.settleOrphaned(live, dead), { charged: 50, excess: 0 });
  assertEquals(events.splice(0), ["other writes", "other done"]);
  const late = { end: RUN_END, cost: 7, ceiling: 100, settleHook: hookOf("owner") };
  assertEquals(await owner!.settle(FACTS.runId, late), { charged: 50, excess: 0 });
  assertEquals(events.filter((what) => what !== "owner writes"), ["owner late"]);
  assertEquals((await kv.get<Ledger>(KEY)).value?.spent, 50);
  owner!.close();
});
