import { LRUCache } from "lru-cache";
import type { Tracing } from "../platform/tracing.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import type { Admission } from "../billing/admission.ts";
import type { ChatIdempotencyRecord } from "../store/idempotency_store.ts";
import type { FailureDetector } from "../billing/failure_detector.ts";
import type { Lease } from "../billing/ledger.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import { type Charge, combineSettleHooks, type SettleHook } from "../billing/decide_settlement.ts";
import { logChunkTtl, newLog, type RunLogHead } from "../store/runs/run_log_head.ts";
import { sealRunDetails } from "../store/runs/run_details.ts";
import { RunLogStore } from "../store/runs/run_log_store.ts";
import { type WaitingCall, WaitingCallStore } from "../store/runs/waiting_call_store.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import type { RunEnd, RunFacts, RunRecord } from "../store/runs/run_record.ts";
import type { StoredMessage } from "../store/conversations/conversation_record.ts";
import { listRuns, type RunInConversation } from "./active_runs.ts";
import { ConversationLog, type ConversationLogDeps } from "./log/conversation_log.ts";
import { interruptionHook, OrphanedRunSettler } from "./orphaned_run_settler.ts";
import type { FollowableRun, RunLog } from "./log/run_log.ts";
import { MAX_OPEN_DELAY_MS, type Run, type RunSettlement } from "./run.ts";
import { CancellationChannel, requestCancellation } from "./cancellation_channel.ts";
import { RunLogWriter } from "./log/run_log_writer.ts";
import { RemoteRun, waitForChange } from "./remote_run.ts";
import { FollowRecords } from "./log/follow_records.ts";
import { RunInputStore } from "./run_input.ts";
import { findInterruptedCalls } from "./calls/interrupted_calls.ts";
import type { PreparedRun } from "./prepare_run.ts";
import type { RunStartHook } from "./run_start_hook.ts";
import type { RunSealer } from "./seals/run_sealer.ts";
import { toSealedMessage } from "./seals/seal_digests.ts";
import { WaitingCalls } from "./calls/waiting_calls.ts";

/** Cancellations to remember for runs that are admitted but not added yet. */
const MAX_EARLY_CANCELLATIONS = 1_000;

export type RunLookup =
  | { state: "running" | "ended"; head: RunLogHead }
  /** The run existed, but its log is gone. */
  | { state: "expired"; record: RunRecord | undefined }
  | { state: "unknown" };

export interface RunRegistryDeps extends ConversationLogDeps {
  admission: Pick<Admission, "settleOrphaned">;
  tenants: Pick<TenantStore, "plan">;
  leases: FailureDetector;
  /** Signs what was said; without it runs have no seals. */
  sealer?: RunSealer;
  tracing?: Tracing | undefined;
}

/** The runs of all processes that share the store: those of this process in memory, others as stored. */
export class RunRegistry {
  /** The tool calls of all processes that wait for an answer. */
  readonly calls: WaitingCalls;
  readonly #deps: RunRegistryDeps;
  readonly #store: RunLogStore;
  readonly #inputs: RunInputStore;
  readonly #conversations: ConversationLog;
  readonly #orphans: OrphanedRunSettler;
  readonly #follows: FollowRecords;
  readonly #cancellations: CancellationChannel;
  /** The id of this process. */
  readonly #owner: string;
  readonly #local = new Map<string, Run>();
  readonly #writers = new Map<string, RunLogWriter>();
  /** Runs of other processes that are followed here. */
  readonly #followed = new Map<string, RemoteRun>();
  readonly #cancelledEarly = new LRUCache<string, true>({ max: MAX_EARLY_CANCELLATIONS });

  constructor(deps: RunRegistryDeps) {
    const { kv, runtime, content } = deps;
    this.#deps = deps;
    this.#store = new RunLogStore(kv, content);
    this.#inputs = new RunInputStore(kv, content);
    this.#conversations = new ConversationLog(deps);
    const [store, inputs, conversations] = [this.#store, this.#inputs, this.#conversations];
    const calls = new WaitingCallStore(kv, content);
    this.#orphans = new OrphanedRunSettler({ ...deps, store, inputs, conversations, calls });
    this.#follows = new FollowRecords(kv, runtime);
    this.#owner = runtime.uuid();
    this.calls = new WaitingCalls({ kv, content, runtime, owner: this.#owner });
    this.#cancellations = new CancellationChannel(kv, {
      owner: this.#owner,
      runtime,
      onCancel: (runId) => this.#cancelLocal(runId),
      onAnswered: (runId, n) => this.calls.wake(runId, n),
      onFollowed: (runId) => this.#writers.get(runId)?.onFollowed(),
    });
  }

  /** What is stored when a run of this process is admitted. */
  async startHook(facts: RunFacts, { origin, visitor, messages, isNew, reader }: {
    origin?: string | undefined;
    visitor?: { id: string } | undefined;
    messages: readonly StoredMessage[];
    /** The conversation's id was generated for this run. */
    isNew: boolean;
    reader?: KvReader | undefined;
  }): Promise<RunStartHook> {
    const log = newLog({ owner: this.#owner, ...(origin && { origin }) });
    const { conversationDays } = await this.#deps.tenants.plan(facts.tenant, reader);
    // A plan that was lowered after the agent was saved: the shorter one applies.
    const days = Math.min(conversationDays, facts.retentionDays ?? conversationDays);
    const isStored = days > 0 && this.#conversations.hasCapacity(facts.tenant);
    if (!isStored) return { state: { log } };
    const of = { ...(origin && { origin }), ...visitor && { visitorId: visitor.id } };
    const input = { days, messages: [...messages], ...of };
    const hook = await this.#inputs.startHook(facts, { input, isNew });
    return { ...hook, state: { ...hook.state, log } };
  }

  /** What is stored when a run of this process is settled. */
  async settleHook(
    { facts, startHook, request }: Pick<PreparedRun, "facts" | "startHook" | "request">,
    { writer, log, end, finalFrames, reasoning }:
      & { writer: RunLogWriter; log: RunLog }
      & Pick<RunSettlement, "end" | "finalFrames" | "reasoning">,
  ): Promise<SettleHook> {
    const hooks = [await writer.settleHook(finalFrames)];
    const frames = log.after(0).map(({ frame }) => frame);
    const seal = this.#deps.sealer?.settleHook({
      ...{ facts, frames, finalFrames, agent: request.agent },
      question: startHook.conversation?.input.messages.at(-1) ?? toSealedMessage(request.body),
    });
    if (seal !== undefined) hooks.push(seal);
    if (startHook.conversation !== undefined) {
      const ended = { facts, end, frames, reasoning };
      hooks.push(await this.#conversations.settleHook(startHook.conversation, ended));
    }
    return combineSettleHooks(hooks);
  }

  sealEnd(facts: RunFacts, end: RunEnd): RunEnd {
    return sealRunDetails(end, { ...facts, content: this.#deps.content });
  }

  /** Replaces `settleHook` if that fails: followers elsewhere see an interrupted run. */
  interruptionHook(facts: RunFacts, { state }: Pick<RunLogWriter, "state">): SettleHook {
    return interruptionHook(facts, { now: this.#deps.runtime.now(), log: state });
  }

  createLogWriter(
    { facts, startHook }: { facts: RunFacts; startHook: RunStartHook },
    { log, onLost }: { log: RunLog; onLost: () => void },
  ): RunLogWriter {
    const { committer, runtime, content } = this.#deps;
    const writer = new RunLogWriter({
      ...{ committer, runtime, content, facts, log, onLost },
      begun: startHook.state.log,
      chunkTtlMs: logChunkTtl(facts, startHook.conversation !== undefined),
    });
    this.#writers.set(facts.runId, writer);
    return writer;
  }

  /** The calls of interrupted runs in the conversation of a message. */
  interruptedCalls(
    place: Parameters<typeof findInterruptedCalls>[0],
    reader: KvReader | undefined,
  ): ReturnType<typeof findInterruptedCalls> {
    return findInterruptedCalls(place, reader ?? this.#deps.kv);
  }

  /** Adds a run that this process has begun. */
  add(run: Run): void {
    this.#local.set(run.id, run);
    this.#cancellations.listen();
    // Another process may have cancelled it between admission and now.
    if (this.#cancelledEarly.delete(run.id)) run.stop("cancelled");
  }

  #cancelLocal(runId: string): void {
    const run = this.#local.get(runId);
    if (run !== undefined) run.stop("cancelled");
    else this.#cancelledEarly.set(runId, true);
  }

  /** Resolves when frame `n` of a local run is stored; false if it is not before `signal` is aborted. */
  async whenStored({ id }: Run, n: number, signal: AbortSignal): Promise<boolean> {
    return await this.#writers.get(id)?.whenStored(n, signal) ?? false;
  }

  remove(run: Run): void {
    this.#local.delete(run.id);
    this.#writers.delete(run.id);
    this.#follows.forget(run.id);
    if (this.#local.size === 0) this.#cancellations.closeWhenIdle();
  }

  /** Finds the log of a run of any process. */
  async find(tenant: string, runId: string): Promise<RunLookup> {
    const head = await this.#store.head(tenant, runId);
    if (head !== undefined && (head.exp ?? Infinity) > this.#deps.runtime.now()) {
      return { state: head.state === "running" ? "running" : "ended", head };
    }
    const record = await this.#store.record(tenant, runId);
    return record ?? head ? { state: "expired", record } : { state: "unknown" };
  }

  /**
   * Waits until a run of another process has stored its first frame or was rejected, at most as long as
   * its first client waits. `recordKey` is that of the idempotency record that named the run.
   */
  async waitUntilOpen(
    { tenant, runId, recordKey }: { tenant: string; runId: string; recordKey: Deno.KvKey },
  ): Promise<RunLookup | { state: "rejected" }> {
    const { runtime } = this.#deps;
    const deadline = runtime.now() + MAX_OPEN_DELAY_MS;
    let found = await this.find(tenant, runId);
    // Rejected since the record was read: the record no longer names the run.
    if (!("head" in found) && !await this.#isNamed(recordKey, runId)) return { state: "rejected" };
    while (found.state === "running" && runtime.now() < deadline) {
      if (await this.#store.hasFrames(found.head)) return found;
      await waitForChange({ tenant, runId, next: 0 }, { store: this.#store, runtime });
      found = await this.find(tenant, runId);
      if (!("head" in found)) return { state: "rejected" };
    }
    return found;
  }

  async #isNamed(recordKey: Deno.KvKey, runId: string): Promise<boolean> {
    return (await this.#deps.kv.get<ChatIdempotencyRecord>(recordKey)).value?.runId === runId;
  }

  /** Returns the run to follow, from memory if it is local. */
  follow(tenant: string, runId: string): FollowableRun {
    const known = this.#local.get(runId) ?? this.#followed.get(runId);
    if (known !== undefined) return known;
    const run: RemoteRun = new RemoteRun({ tenant, runId }, {
      store: this.#store,
      runtime: this.#deps.runtime,
      checkOwner: () => this.settleIfOrphaned(tenant, runId),
      recordWatched: (owner) => this.#follows.record({ tenant, runId, owner }),
      onIdle: () => {
        if (this.#followed.get(runId) === run) this.#followed.delete(runId);
      },
    });
    this.#followed.set(runId, run);
    return run;
  }

  /** Settles a run whose lease has expired. Returns what was charged. */
  settleOrphaned(run: ActiveRun, lease: Lease | undefined): Promise<Charge | undefined> {
    return this.#orphans.settle(run, lease);
  }

  /** Cancels a run in whichever process it executes. */
  async cancel(tenant: string, runId: string): Promise<void> {
    const local = this.#local.get(runId);
    if (local !== undefined) return local.stop("cancelled");
    await this.settleIfOrphaned(tenant, runId);
    const found = await this.find(tenant, runId);
    if (found.state !== "running") return;
    const { kv, runtime } = this.#deps;
    await requestCancellation(kv, { owner: found.head.owner, tenant, runId, runtime });
  }

  /** Cancels the runs of a session or an API key, or all, in all processes. Returns how many. */
  async cancelRunsOf(tenant: string, sourceId?: string): Promise<number> {
    const isWanted = ({ source }: RunFacts) => sourceId === undefined || source.id === sourceId;
    const runs = await listRuns(this.#deps.kv, tenant, isWanted);
    for (const { runId } of runs) await this.cancel(tenant, runId);
    return runs.length;
  }

  /** The active runs in conversations with this id, in all processes, oldest first. */
  runsInConversation(tenant: string, id: string): Promise<RunInConversation[]> {
    return listRuns(this.#deps.kv, tenant, (run) => run.conversationId === id);
  }

  /** The active runs of a visitor, by its hash, in all processes, oldest first. */
  runsOfVisitor(tenant: string, visitor: string): Promise<RunInConversation[]> {
    return listRuns(this.#deps.kv, tenant, (run) => run.visitor === visitor);
  }

  /** Settles a run if its process died; false if it is no longer active. */
  async settleIfOrphaned(tenant: string, runId: string): Promise<boolean> {
    return this.#local.has(runId) || await this.#orphans.settleIfOrphaned(tenant, runId);
  }

  /**
   * Answers a tool call that waits. One of a run whose process died must not accept an answer that has no
   * effect.
   */
  async answerCall(...answer: Parameters<WaitingCalls["reply"]>): Promise<WaitingCall> {
    const [{ tenant, runId }] = answer;
    await this.settleIfOrphaned(tenant, runId);
    return await this.calls.reply(...answer);
  }

  /** True if a client has followed a local run through another process since the last call. */
  async isFollowedElsewhere(tenant: string, runId: string): Promise<boolean> {
    return this.#local.has(runId) && await this.#follows.wasFollowed({ tenant, runId });
  }

  close(): void {
    this.#cancellations.close();
  }
}
