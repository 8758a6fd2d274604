import { LRUCache } from "lru-cache";
import type { Committer } from "../store/tx/committer.ts";
import type { KvReader } from "../store/tx/view.ts";
import type { Admission } from "../billing/admission.ts";
import type { ChatReceipt, Opening } from "../billing/decide_run.ts";
import type { LeaseWatch } from "../billing/lease_watch.ts";
import type { Lease } from "../billing/ledger.ts";
import { type ActiveRun, activeRunSchema, type ActiveRunState } from "../store/runs/active_run.ts";
import { type Charge, type Closing, joinClosings } from "../billing/settle_run.ts";
import type { ContentCipher } from "../store/encryption/content_cipher.ts";
import { keys } from "../store/keys/keys.ts";
import { parseRecord } from "../store/values/record.ts";
import {
  CHUNK_TTL_MS,
  type LogState,
  LONG_CHUNK_TTL_MS,
  newLog,
  type RunLogHead,
} from "../store/runs/run_log_head.ts";
import { sealRunDetails } from "../store/runs/run_details.ts";
import { RunLogStore } from "../store/runs/run_log_store.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { RunEnd, RunFacts } from "../store/runs/run_record.ts";
import type { ChatBody } from "../schemas/chat.ts";
import type { Frame } from "../schemas/frames.ts";
import {
  ConversationLog,
  type ConversationLogDeps,
  type PendingConversation,
} from "./conversation_log.ts";
import { interruptionHook, OrphanedRuns } from "./orphaned_runs.ts";
import type { FollowableRun, RunLog } from "./run_log.ts";
import { MAX_OPEN_DELAY_MS, type Run } from "./run.ts";
import { CancellationChannel, requestCancellation } from "./cancellation_channel.ts";
import { RunLogWriter } from "./run_log_writer.ts";
import { RemoteRun, waitForChange } from "./remote_run.ts";
import { WatchRecords } from "./watch_records.ts";

/** Of how many runs that are not here a stop is remembered; one that was let in begins within moments. */
const REMEMBERED_STOPS = 1_000;

/** Where the log of a run is. */
export type RunLookup =
  | { state: "running" | "ended"; head: RunLogHead }
  /** It has been, and its log is gone. */
  | { state: "expired" }
  | { state: "unknown" };

/** What begins in the store with a run. */
export interface RunStartHook extends Opening {
  begun: ActiveRunState & { log: LogState };
  /** Absent where the tenant's plan keeps none. */
  conversation?: PendingConversation;
}

/**
 * All runs of all processes that share the store: those of this process from memory, the others from
 * what is stored of them.
 */
export class RunRegistry {
  readonly #kv: Deno.Kv;
  readonly #committer: Committer;
  readonly #runtime: Runtime;
  readonly #content: ContentCipher;
  readonly #store: RunLogStore;
  readonly #tenants: Pick<TenantStore, "plan">;
  readonly #conversations: ConversationLog;
  readonly #deadEnds: OrphanedRuns;
  /** This process, among those that share the store. */
  readonly #owner: string;
  readonly #stops: CancellationChannel;
  readonly #local = new Map<string, Run>();
  /** The logs of the same runs. */
  readonly #logs = new Map<string, RunLogWriter>();
  readonly #followed = new Map<string, RemoteRun>();
  readonly #watched: WatchRecords;
  /** Asked to stop before they were added. */
  readonly #stopped = new LRUCache<string, true>({ max: REMEMBERED_STOPS });

  constructor(
    parts: ConversationLogDeps & {
      admission: Pick<Admission, "settleDead">;
      tenants: Pick<TenantStore, "plan">;
      leases: LeaseWatch;
    },
  ) {
    this.#kv = parts.kv;
    this.#committer = parts.committer;
    this.#runtime = parts.runtime;
    this.#content = parts.content;
    this.#store = new RunLogStore(parts.kv, parts.content);
    this.#tenants = parts.tenants;
    this.#conversations = new ConversationLog(parts);
    this.#deadEnds = new OrphanedRuns({
      ...parts,
      store: this.#store,
      conversations: this.#conversations,
    });
    this.#watched = new WatchRecords(parts.kv, parts.runtime);
    this.#owner = parts.runtime.uuid();
    this.#stops = new CancellationChannel(parts.kv, {
      ...{ ...parts, owner: this.#owner },
      onStop: (runId) => this.#stop(runId),
      onWatched: (runId) => this.#logs.get(runId)?.onWatched(),
    });
  }

  /** What begins in the store with a run of this process. */
  async startHook(
    facts: RunFacts,
    { origin, body, reader }: {
      origin?: string | undefined;
      body: ChatBody;
      reader?: KvReader | undefined;
    },
  ): Promise<RunStartHook> {
    const log = newLog({ owner: this.#owner, ...(origin && { origin }) });
    const { conversationDays: days } = await this.#tenants.plan(facts.tenant, reader);
    const isStored = days > 0 && this.#conversations.hasCapacity(facts.tenant);
    if (!isStored) return { begun: { log } };
    const asked = { days, messages: body.messages, ...(origin && { origin }) };
    const isNew = body.conversationId === undefined;
    const opened = await this.#conversations.startHook(facts, { asked, isNew });
    return { ...opened, begun: { ...opened.begun, log } };
  }

  /** What ends in the store with a run of this process, in the commit that settles it. */
  async settleHook(
    { facts, startHook }: { facts: RunFacts; startHook: RunStartHook },
    run: { stored: RunLogWriter; log: RunLog; end: RunEnd; last: (charged: number) => Frame[] },
  ): Promise<Closing> {
    const { stored, log, end, last } = run;
    const closing = await stored.settleHook(last);
    if (startHook.conversation === undefined) return closing;
    const frames = log.after(0).map(({ frame }) => frame);
    const ended = { facts, end, frames };
    return joinClosings([
      closing,
      await this.#conversations.settleHook(startHook.conversation, ended),
    ]);
  }

  /** The end of a run as it is stored. */
  sealEnd({ tenant, runId }: RunFacts, end: RunEnd): RunEnd {
    return sealRunDetails(end, { tenant, runId, content: this.#content });
  }

  /** What ends a run's log in place of `closing`: whoever follows it elsewhere is told that it broke off. */
  interruptionHook(facts: RunFacts, { state }: Pick<RunLogWriter, "state">): Closing {
    return interruptionHook(facts, { now: this.#runtime.now(), log: state });
  }

  /** The log of a run of this process, in the store. */
  createLogWriter(
    { facts, startHook }: { facts: RunFacts; startHook: RunStartHook },
    { log, onLost }: { log: RunLog; onLost: () => void },
  ): RunLogWriter {
    const stored = new RunLogWriter({
      ...{ committer: this.#committer, runtime: this.#runtime, content: this.#content },
      ...{ facts, begun: startHook.begun.log, log, onLost },
      keptMs: startHook.conversation === undefined ? CHUNK_TTL_MS : LONG_CHUNK_TTL_MS,
    });
    this.#logs.set(facts.runId, stored);
    return stored;
  }

  /** A run of this process has begun. */
  add(run: Run): void {
    this.#local.set(run.id, run);
    this.#stops.listen();
    // Let in, found and stopped from elsewhere before it was here.
    if (this.#stopped.delete(run.id)) run.stop("cancelled");
  }

  #stop(runId: string): void {
    const run = this.#local.get(runId);
    if (run !== undefined) return run.stop("cancelled");
    this.#stopped.set(runId, true);
  }

  /** A run of this process has ended, and is in the store as a whole. */
  remove(run: Run): void {
    this.#local.delete(run.id);
    this.#logs.delete(run.id);
    this.#watched.forget(run.id);
    if (this.#local.size === 0) this.#stops.closeWhenIdle();
  }

  /** Where a run is, and who may follow it. */
  async find(tenant: string, runId: string): Promise<RunLookup> {
    const head = await this.#store.head(tenant, runId);
    if (head === undefined) {
      return { state: await this.#store.hasRecord(tenant, runId) ? "expired" : "unknown" };
    }
    if ((head.exp ?? Infinity) <= this.#runtime.now()) return { state: "expired" };
    return { state: head.state === "running" ? "running" : "ended", head };
  }

  /**
   * Waits until a run of another process has told its first frame or is refused before that, no longer
   * than its first client waits: what a message sent again, which its `receipt` led to the run, is
   * answered by, like the first.
   */
  async waitUntilOpen(
    { tenant, runId, receipt }: { tenant: string; runId: string; receipt: Deno.KvKey },
  ): Promise<RunLookup | { state: "refused" }> {
    const due = this.#runtime.now() + MAX_OPEN_DELAY_MS;
    let found = await this.find(tenant, runId);
    // Refused between being found by its receipt and now: that names it no more.
    if (!("head" in found) && !await this.#isNamed(receipt, runId)) return { state: "refused" };
    while (found.state === "running" && this.#runtime.now() < due) {
      if (await this.#store.hasFrames(found.head)) return found;
      await waitForChange({ tenant, runId, next: 0 }, {
        store: this.#store,
        runtime: this.#runtime,
      });
      found = await this.find(tenant, runId);
      if (!("head" in found)) return { state: "refused" };
    }
    return found;
  }

  async #isNamed(receipt: Deno.KvKey, runId: string): Promise<boolean> {
    return (await this.#kv.get<ChatReceipt>(receipt)).value?.runId === runId;
  }

  /** The run to be followed, from memory where it is this process's. */
  follow(tenant: string, runId: string): FollowableRun {
    const known = this.#local.get(runId) ?? this.#followed.get(runId);
    if (known !== undefined) return known;
    const run: RemoteRun = new RemoteRun({ tenant, runId }, {
      store: this.#store,
      runtime: this.#runtime,
      checkOwner: () => this.settleIfOrphaned(tenant, runId),
      recordWatched: (owner) => this.#watched.record({ tenant, runId, owner }),
      onIdle: () => {
        if (this.#followed.get(runId) === run) this.#followed.delete(runId);
      },
    });
    this.#followed.set(runId, run);
    return run;
  }

  /** Settles a run that was found dead with this lease; answers what was charged. */
  settleOrphaned(live: ActiveRun, lease: Lease | undefined): Promise<Charge | undefined> {
    return this.#deadEnds.settle(live, lease);
  }

  /** Stops a run wherever it runs; one that has ended stays as it is. */
  async cancel(tenant: string, runId: string): Promise<void> {
    const local = this.#local.get(runId);
    if (local !== undefined) return local.stop("cancelled");
    await this.settleIfOrphaned(tenant, runId);
    const found = await this.find(tenant, runId);
    if (found.state !== "running") return;
    await requestCancellation(this.#kv, {
      owner: found.head.owner,
      tenant,
      runId,
      runtime: this.#runtime,
    });
  }

  /** Stops what a session or an API key of the tenant has begun, in all processes. */
  async cancelRunsOf(tenant: string, sourceId: string): Promise<void> {
    for await (const entry of this.#kv.list({ prefix: keys.tenantActiveRuns(tenant) })) {
      const live = parseRecord(activeRunSchema, entry);
      if (live?.run.source.id === sourceId) await this.cancel(tenant, live.run.runId);
    }
  }

  /** The runs that go on in conversations with this id, in all processes; those that began first first. */
  async runsInConversation(
    tenant: string,
    id: string,
  ): Promise<{ runId: string; agentId: string; origin?: string }[]> {
    const found: ActiveRun[] = [];
    for await (const entry of this.#kv.list({ prefix: keys.tenantActiveRuns(tenant) })) {
      const live = parseRecord(activeRunSchema, entry);
      if (live?.run.conversationId === id) found.push(live);
    }
    found.sort((a, b) => a.run.startedAt - b.run.startedAt);
    return found.map(({ run: { runId, agentId }, log }) => {
      return { runId, agentId, ...(log?.origin !== undefined && { origin: log.origin }) };
    });
  }

  /** Settles a run whose process died, and ends its log; false when it had ended before. */
  async settleIfOrphaned(tenant: string, runId: string): Promise<boolean> {
    return this.#local.has(runId) || await this.#deadEnds.settleIfOrphaned(tenant, runId);
  }

  /** True if a client has followed a run of this process through another one since the last call. */
  async isWatchedElsewhere(tenant: string, runId: string): Promise<boolean> {
    return this.#local.has(runId) && await this.#watched.wasWatched({ tenant, runId });
  }

  close(): void {
    this.#stops.close();
  }
}
