import { assertEquals, assertRejects } from "@std/assert";
import { breakableKv } from "@/tests/support/broken_kv.ts";
import { FakeRuntime, fakeUuid, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { lossyKv } from "@/tests/support/lossy_kv.ts";
import { RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { StoreUnavailableError } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import type { Runtime } from "../platform/runtime.ts";
import { Admission } from "./admission.ts";
import { HEARTBEAT_MS, type Ledger } from "./ledger.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const TENANT = fakeUuid(801);

const REQUEST = runRequest(1, {
  run: runFacts(1, { source: { kind: "session", id: fakeUuid(600) } }),
  hold: 500,
  minHold: 1,
  limits: DEFAULT_LIMITS,
});

/** A clock that the test advances, except for the short waits between retries. */
function clock(): { time: FakeRuntime; runtime: Runtime } {
  const time = new FakeRuntime(NOON);
  const sleep: Runtime["sleep"] = (ms, signal) =>
    ms < 1_000 ? Promise.resolve() : time.sleep(ms, signal);
  return {
    time,
    runtime: { now: time.now, uuid: time.uuid, randomBytes: time.randomBytes, sleep },
  };
}

/** One heartbeat and the operations that it queues. */
async function beat(time: FakeRuntime, admission: Admission): Promise<void> {
  await time.advance(HEARTBEAT_MS);
  const caller = { address: "address-2" };
  await admission.requests.countRequest({ id: time.now(), caller, limits: DEFAULT_LIMITS });
  await flushMicrotasks();
}

async function ledgerOf(kv: Deno.Kv): Promise<Ledger> {
  return (await kv.get<Ledger>(keys.tenantLedger(TENANT))).value!;
}

/** The ledger once it has no run, which the retry writes in a transaction of its own. */
async function settledLedger(kv: Deno.Kv): Promise<Ledger> {
  for (let reads = 0; reads < 1_000; reads++) {
    const ledger = await ledgerOf(kv);
    if (Object.keys(ledger.runs).length === 0) return ledger;
  }
  throw new Error("the run was not settled");
}

Deno.test("Admission.settle: a settlement that the store rejects is retried when the store is back", async () => {
  const { kv, break: breakStore } = await breakableKv();
  using _ = kv;
  const { time, runtime } = clock();
  const admission = new Admission(new GroupCommitter(kv, { runtime }), { runtime });
  await admission.admit(REQUEST);
  breakStore("no disk", ["atomic"]);
  const failed = () => admission.settle("run-1", { end: RUN_END, cost: 30, ceiling: 1_000 });
  await assertRejects(failed, StoreUnavailableError);
  breakStore("", []);
  await beat(time, admission);
  const { spent, runs } = await settledLedger(kv);
  assertEquals({ spent, runs }, { spent: 30, runs: {} });
  assertEquals(time.sleeping, 0);
});

Deno.test("Admission.admit: a message that got a 503 but was admitted after all is reverted", async () => {
  const { kv, loseNextCommit } = await lossyKv();
  using _ = kv;
  const { time, runtime } = clock();
  // The wait before the retry exceeds every timeout, so the outcome stays unknown.
  let late = 0;
  const slow: Runtime = {
    ...runtime,
    now: () => time.now() + late,
    sleep: (ms, signal) => {
      if (ms < 1_000) late = 10_000;
      return runtime.sleep(ms, signal);
    },
  };
  const admission = new Admission(new GroupCommitter(kv, { runtime: slow }), { runtime });
  loseNextCommit("tenant_ledgers");
  await assertRejects(() => admission.admit(REQUEST), StoreUnavailableError);
  assertEquals(Object.keys((await ledgerOf(kv)).runs), ["run-1"]);
  await beat(time, admission);
  const { spent, runs } = await settledLedger(kv);
  assertEquals({ spent, runs }, { spent: 0, runs: {} });
});
