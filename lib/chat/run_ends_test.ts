/**
 * Runs that end in every way, with concurrent deletions and a failing store: processes settle their runs,
 * die midway, or come too late for runs that others have settled.
 */
import type { StoredMessage } from "../store/conversations/conversation_record.ts";
import { ledgerOf } from "@/tests/support/admissions.ts";
import { contentCipher } from "@/tests/support/content.ts";
import { setImmediate } from "node:timers";
import { assertEquals } from "@std/assert";
import { instantRuntime } from "@/tests/support/instant_runtime.ts";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { OPEN_LIMITS, RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";
import { storedText } from "@/tests/support/store.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { Admission } from "../billing/admission.ts";
import { OrphanedRunSweeper } from "../billing/orphaned_run_sweeper.ts";
import { FailureDetector, SILENCE_TIMEOUT_MS } from "../billing/failure_detector.ts";
import { createLogger } from "../platform/log.ts";
import type { ConversationHead } from "../store/conversations/conversation_record.ts";
import { ConversationStore } from "../store/conversations/conversation_store.ts";
import { keys } from "../store/keys/keys.ts";
import { RunLogStore } from "../store/runs/run_log_store.ts";
import { TenantStore } from "../store/tenants/tenant_store.ts";
import { type Runtime, systemRuntime } from "../platform/runtime.ts";
import type { ChatBody } from "../schemas/chat.ts";
import type { Frame } from "../schemas/frames.ts";
import type { PreparedRun } from "./prepare_run.ts";
import { RunRegistry } from "./run_registry.ts";
import { RunLog } from "./log/run_log.ts";
import type { RunLogWriter } from "./log/run_log_writer.ts";

const { tenant, agentId } = runFacts(0);
const LIMITS = { ...OPEN_LIMITS, streams: 100, hardDailyCost: 1e9 };
const CONVERSATIONS = [1, 2, 3].map((n) => ({ tenant, id: fakeUuid(500 + n), agentId, page: "" }));
const RUNS = 14;
const HOLD = 100;
const DONE: Frame[] = [{ type: "done", finishReason: "stop" }];

type Random = () => number;

const turn = () => new Promise((wake) => setImmediate(wake));
const pick = <T>(random: Random, some: readonly T[]): T =>
  some[Math.floor(random() * some.length)]!;

/** One process with an unreliable connection to the store. */
function open(raw: Deno.Kv, { random, runtime }: { random: Random; runtime: Runtime }) {
  const { kv } = flakyKv(raw, { random, ambiguous: 0.12, locked: 0.12, turns: 8 });
  const committer = new GroupCommitter(kv, { runtime });
  const admission = new Admission(committer, { runtime });
  const leases = new FailureDetector(runtime);
  const tenants = new TenantStore(raw, runtime);
  const directory = new RunRegistry({
    ...{ kv, committer, admission, runtime, tenants, leases },
    content: contentCipher(),
  });
  const log = createLogger({ json: true, write: () => {} });
  const settle = directory.settleOrphaned.bind(directory);
  const deadRuns = new OrphanedRunSweeper(raw, {
    admission,
    failureDetector: leases,
    runtime,
    log,
    settle,
  });
  const close = () => {
    admission.close();
    directory.close();
  };
  return { admission, directory, deadRuns, close };
}

/** Text of all sizes that are stored differently. */
function framesOf(n: number, random: Random): Frame[] {
  return Array.from({ length: 1 + Math.floor(random() * 5) }, (): Frame => {
    const text = `answer${n}x${"w".repeat(pick(random, [1, 1, 1, 9_000, 60_000]))}`;
    return random() < 0.5
      ? { type: "delta", text }
      : { type: "tool_call", name: "t", args: { text } };
  });
}

/** Admits a run and appends its frames; returns its settlement. */
async function begin(n: number, { by, random }: { by: ReturnType<typeof open>; random: Random }) {
  const { admission, directory } = by;
  const conversationId = pick(random, CONVERSATIONS).id;
  const facts = runFacts(n, { runId: fakeUuid(9_000 + n), conversationId });
  const content = `question${n}x${"q".repeat(random() < 0.3 ? 30_000 : 0)}`;
  const body: ChatBody = { agentId, conversationId, messages: [{ role: "user", content }] };
  const run = {
    facts,
    startHook: await directory.startHook(facts, {
      messages: body.messages as StoredMessage[],
      isNew: body.conversationId === undefined,
    }),
    // Only seals read it, and this registry has no sealer.
    request: { body } as PreparedRun["request"],
  };
  const { startHook } = run;
  await admission.admit(runRequest(n, { run: facts, hold: HOLD, limits: LIMITS, startHook }));
  const log: RunLog = new RunLog((frame) => stored.onAppend(frame));
  const stored: RunLogWriter = directory.createLogWriter(run, { log, onLost: () => {} });
  for (const frame of framesOf(n, random)) {
    log.append(frame);
    await turn();
  }
  return async () => {
    const settleHook = await directory.settleHook(run, {
      writer: stored,
      log,
      end: RUN_END,
      finalFrames: () => DONE,
      reasoning: "",
    });
    return await admission.settle(facts.runId, { end: RUN_END, cost: n, ceiling: 1e9, settleHook });
  };
}

/** Deletes one of the conversations, as `DELETE /v1/conversations/:id` does. */
async function deleteOne(
  random: Random,
  { directory, store }: { directory: RunRegistry; store: ConversationStore },
): Promise<void> {
  for (let n = Math.floor(random() * 20); n > 0; n--) await turn();
  const name = pick(random, CONVERSATIONS);
  const running = await directory.runsInConversation(tenant, name.id);
  await store.delete(name, running.map(({ runId }) => runId));
}

/** Every run has ended in its log, its conversation and its record. */
async function assertConsistent(kv: Deno.Kv, store: ConversationStore): Promise<void> {
  const logs = new RunLogStore(kv, contentCipher());
  let told = 0;
  for (const name of CONVERSATIONS) {
    const { value } = await kv.get<ConversationHead>(keys.conversation(name));
    const { runs } = await store.listRuns(name, { from: 0, limit: 100 });
    const ids = runs.map(({ row }) => row.runId);
    assertEquals(new Set(ids).size, ids.length);
    told += value !== null && "id" in value ? value.runs : 0;
    for (const runId of ids) {
      const head = (await logs.head(tenant, runId))!;
      const frames = await logs.reader(tenant, runId).readTo(head);
      assertEquals([head.state === "running", frames?.length], [false, head.frames]);
    }
  }
  const records = await Array.fromAsync(kv.list({ prefix: keys.run(tenant, "").slice(0, -1) }));
  assertEquals(records.length, told);
}

/** A history of runs and deletions, of which only usage totals remain. */
async function play(seed: number): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const random = seeded(seed);
  const fast = instantRuntime(Date.UTC(2026, 0, 2, 12));
  const runtime = { ...systemRuntime, ...fast.runtime };
  const [one, two, sweeper] = [1, 2, 3].map(() => open(kv, { random, runtime }));
  const store = new ConversationStore(kv, { runtime, content: contentCipher() });
  const parts = { directory: sweeper!.directory, store };
  const late: (() => Promise<unknown>)[] = [];
  let owed = 0;
  const live = async (n: number) => {
    const end = await begin(n, { by: pick(random, [one!, two!]), random });
    const fate = pick(random, ["ends", "ends", "ends", "dies", "comes too late"]);
    if (fate === "ends") assertEquals((await end()).charged, n);
    if (fate === "comes too late") late.push(end);
    owed += fate === "ends" ? n : HOLD;
  };
  const jobs: Promise<void>[] = [];
  for (let n = 1; n <= RUNS; n++) {
    jobs.push(live(n));
    if (random() < 0.25) jobs.push(deleteOne(random, parts));
    if (random() < 0.5) await turn();
  }
  await Promise.all(jobs);
  await sweeper!.deadRuns.sweep();
  fast.advance(SILENCE_TIMEOUT_MS);
  const deletion = random() < 0.5 ? deleteOne(random, parts) : undefined;
  // The next sweep settles what the store rejected.
  for (let n = 0; n < 30; n++) await sweeper!.deadRuns.sweep();
  await deletion;
  for (const end of late) await end();
  assertEquals(await Array.fromAsync(kv.list({ prefix: keys.activeRuns() })), []);
  const ledger = await ledgerOf(kv, tenant);
  assertEquals([ledger.spent, ledger.runs], [owed, {}]);
  await assertConsistent(kv, store);
  for (const name of CONVERSATIONS) await store.delete(name);
  const traces = (await storedText(kv)).match(/(question|answer)\d+x|0{6}9\d{3}/g);
  assertEquals(traces, null);
  for (const process of [one!, two!, sweeper!]) process.close();
}

for (let seed = 1; seed <= 12; seed++) {
  Deno.test(`ended, orphaned and late runs agree with ledger and conversations and can be deleted (seed ${seed})`, () =>
    play(seed));
}
