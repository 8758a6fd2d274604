import { assertEquals } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { FakeTracing } from "@/tests/support/fake_tracing.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { runFacts, runRequest } from "@/tests/support/run_requests.ts";
import type { SpanOptions } from "../platform/tracing.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { Admission } from "../billing/admission.ts";
import { findLease, type Ledger } from "../billing/ledger.ts";
import { FailureDetector } from "../billing/failure_detector.ts";
import { ConversationStore } from "../store/conversations/conversation_store.ts";
import { keys } from "../store/keys/keys.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import { newLog } from "../store/runs/run_log_head.ts";
import { RunLogStore } from "../store/runs/run_log_store.ts";
import { WaitingCallStore } from "../store/runs/waiting_call_store.ts";
import { ConversationLog } from "./log/conversation_log.ts";
import { OrphanedRunSettler } from "./orphaned_run_settler.ts";
import { RunInputStore } from "./run_input.ts";

const content = contentCipher();

const HOLD = 100;

/** Stores an orphaned run with `change`, then settles it in another process. */
async function settleOrphaned(
  kv: Deno.Kv,
  change: (live: ActiveRun) => Partial<ActiveRun>,
  { tracing }: { tracing?: FakeTracing } = {},
) {
  const runtime = new FakeRuntime();
  const committer = new GroupCommitter(kv, { runtime });
  const admission = new Admission(committer, { runtime });
  const inputs = new RunInputStore(kv, content);
  const facts = runFacts(1, { startedAt: runtime.now() });
  const { tenant, runId } = facts;
  const input = { days: 30, messages: [{ role: "user" as const, content: "Hello" }] };
  const { state } = await inputs.startHook(facts, { input, isNew: false });
  const startHook = { state: { ...state, log: newLog({ owner: "died" }) } };
  await admission.admit(runRequest(1, { run: facts, hold: HOLD, startHook }));
  admission.close();
  const key = keys.activeRun(tenant, runId);
  const live = (await kv.get<ActiveRun>(key)).value!;
  await kv.set(key, { ...live, ...change(live) });

  const store = new RunLogStore(kv, content);
  const leases = new FailureDetector(runtime);
  const other = new GroupCommitter(kv, { runtime });
  const ends = new OrphanedRunSettler({
    kv,
    admission: new Admission(other, { runtime }),
    runtime,
    leases,
    tracing,
    content,
    store,
    calls: new WaitingCallStore(kv, content),
    inputs,
    conversations: new ConversationLog({ kv, committer: other, runtime, content }),
  });
  await ends.settleIfOrphaned(tenant, runId);
  await runtime.advance(60_000);
  const found = await ends.settleIfOrphaned(tenant, runId);
  const ledger = (await kv.get<Ledger>(keys.tenantLedger(tenant))).value!;
  const name = { tenant, id: facts.conversationId, agentId: facts.agentId, page: "" };
  const { runs } = await new ConversationStore(kv, { runtime, content }).listRuns(name, {
    from: 0,
    limit: 10,
  });
  return {
    found,
    isFree: findLease(ledger, runId) === undefined,
    spent: ledger.spent,
    log: (await store.head(tenant, runId))?.state,
    said: runs.map(({ transcript }) =>
      transcript === "unreadable" ? transcript : transcript.messages[0]!.content
    ),
  };
}

const SETTLED = { found: true, isFree: true, spent: HOLD, log: "interrupted" as const };

Deno.test("OrphanedRuns: an orphaned run is charged, ends as interrupted and is in its conversation", async () => {
  using kv = await Deno.openKv(":memory:");
  assertEquals(await settleOrphaned(kv, () => ({})), { ...SETTLED, said: ["Hello"] });
});

Deno.test("OrphanedRuns: a corrupt log does not keep the slot or lose the question", async () => {
  using kv = await Deno.openKv(":memory:");
  const tail = new TextEncoder().encode('{"type":"of another version"}\n');
  const settled = await settleOrphaned(kv, ({ log }) => ({ log: { ...log!, frames: 1, tail } }));
  assertEquals(settled, { ...SETTLED, said: ["Hello"] });
});

Deno.test("OrphanedRuns: a corrupt input does not keep the slot", async () => {
  using kv = await Deno.openKv(":memory:");
  for (const text of ["{", '{"v":2}']) {
    const input = new TextEncoder().encode(text);
    assertEquals(await settleOrphaned(kv, () => ({ asked: input })), { ...SETTLED, said: [] });
    for await (const { key } of kv.list({ prefix: [] })) await kv.delete(key);
  }
});

Deno.test("OrphanedRunSettler: the settlement continues the trace of the run", async () => {
  using kv = await Deno.openKv(":memory:");
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const tracing = new FakeTracing();
  await settleOrphaned(kv, ({ run }) => ({ run: { ...run, traceparent } }), { tracing });
  const [{ name, parent }] = tracing.started as [SpanOptions];
  assertEquals([name, parent], ["settlement", traceparent]);
  assertEquals(tracing.log.at(-1), "end settlement");
});
