import type { Committer } from "../committer/committer.ts";
import type { KvReader } from "../committer/view.ts";
import type { Admission } from "../limits/admission.ts";
import { leaseOf, type Ledger } from "../limits/ledger.ts";
import type { Opening } from "../limits/decide_run.ts";
import { type BegunRun, type LiveRun, liveRunSchema } from "../storage/live_run.ts";
import { type Charge, type Closing, joinClosings } from "../limits/settle_run.ts";
import { keys } from "../storage/keys.ts";
import { parseRecord } from "../storage/record.ts";
import {
  CHUNK_KEPT_MS,
  type LogState,
  LONG_CHUNK_KEPT_MS,
  newLog,
  type RunHead,
} from "../storage/run_head.ts";
import { RunLogStore } from "../storage/run_log_store.ts";
import type { TenantStore } from "../storage/tenant_store.ts";
import type { System } from "../system.ts";
import { interruptedEnd, type RunEnd, type RunFacts } from "../usage/run_record.ts";
import type { ChatBody } from "../wire/chat.ts";
import type { Frame } from "../wire/frames.ts";
import { ConversationLog, type OpenedConversation } from "./conversation_log.ts";
import type { FollowedRun } from "./followed_run.ts";
import { OPEN_ANYWAY_MS, type Run } from "./run.ts";
import type { RunLog } from "./run_log.ts";
import { requestStop, StopRequests } from "./stop_requests.ts";
import { endLog, StoredLog } from "./stored_log.ts";
import { StoredRun } from "./stored_run.ts";
import { untilChanged } from "./until_changed.ts";

/** A run that is watched through another process says so more often than this. */
const WATCHED_FOR_MS = 30_000;

/** Where the log of a run is. */
export type Found =
  | { state: "running" | "ended"; head: RunHead }
  /** It has been, and its log is gone. */
  | { state: "expired" }
  | { state: "unknown" };

/** What begins in the store with a run. */
export interface RunOpening extends Opening {
  begun: BegunRun & { log: LogState };
  /** Absent where the tenant's plan keeps none. */
  conversation?: OpenedConversation;
}

/**
 * All runs of all processes that share the store: those of this process from memory, the others from
 * what is stored of them.
 */
export class RunDirectory {
  readonly #kv: Deno.Kv;
  readonly #committer: Committer;
  readonly #admission: Pick<Admission, "settleDead">;
  readonly #system: System;
  readonly #store: RunLogStore;
  readonly #tenants: Pick<TenantStore, "plan">;
  readonly #conversations: ConversationLog;
  /** This process, among those that share the store. */
  readonly #owner: string;
  readonly #stops: StopRequests;
  readonly #local = new Map<string, Run>();
  readonly #followed = new Map<string, StoredRun>();

  constructor(
    parts: {
      kv: Deno.Kv;
      committer: Committer;
      admission: Pick<Admission, "settleDead">;
      system: System;
      tenants: Pick<TenantStore, "plan">;
    },
  ) {
    this.#kv = parts.kv;
    this.#committer = parts.committer;
    this.#admission = parts.admission;
    this.#system = parts.system;
    this.#store = new RunLogStore(parts.kv);
    this.#tenants = parts.tenants;
    this.#conversations = new ConversationLog(parts);
    this.#owner = parts.system.uuid();
    const { kv, system } = parts;
    const onStop = (runId: string) => this.#local.get(runId)?.stop("cancelled");
    this.#stops = new StopRequests(kv, { owner: this.#owner, system, onStop });
  }

  /** What begins in the store with a run of this process. */
  async opening(
    facts: RunFacts,
    { origin, body, reader }: {
      origin?: string | undefined;
      body: ChatBody;
      reader?: KvReader | undefined;
    },
  ): Promise<RunOpening> {
    const log = newLog({ owner: this.#owner, ...(origin && { origin }) });
    const { conversationDays: days } = await this.#tenants.plan(facts.tenant, reader);
    if (days === 0) return { begun: { log } };
    const asked = { days, messages: body.messages, ...(origin && { origin }) };
    const isNew = body.conversationId === undefined;
    const opened = this.#conversations.open(facts, { asked, isNew });
    return { ...opened, begun: { ...opened.begun, log } };
  }

  /** What ends in the store with a run of this process, in the commit that settles it. */
  async closing(
    { facts, opening }: { facts: RunFacts; opening: RunOpening },
    run: { stored: StoredLog; log: RunLog; end: RunEnd; last: (charged: number) => Frame[] },
  ): Promise<Closing> {
    const { stored, log, end, last } = run;
    const closing = await stored.closing(last);
    if (opening.conversation === undefined) return closing;
    const frames = log.after(0).map(({ frame }) => frame);
    const ended = { facts, end, frames };
    return joinClosings([
      closing,
      await this.#conversations.closing(opening.conversation, ended),
    ]);
  }

  /** The log of a run of this process, in the store. */
  storedLog(
    { facts, opening }: { facts: RunFacts; opening: RunOpening },
    { log, onLost }: { log: RunLog; onLost: () => void },
  ): StoredLog {
    return new StoredLog({
      committer: this.#committer,
      system: this.#system,
      facts,
      begun: opening.begun.log,
      log,
      keptMs: opening.conversation === undefined ? CHUNK_KEPT_MS : LONG_CHUNK_KEPT_MS,
      onLost,
    });
  }

  /** A run of this process has begun. */
  add(run: Run): void {
    this.#local.set(run.id, run);
    this.#stops.listen();
  }

  /** A run of this process has ended, and is in the store as a whole. */
  remove(run: Run): void {
    this.#local.delete(run.id);
    if (this.#local.size === 0) this.#stops.rest();
  }

  /** Where a run is, and who may follow it. */
  async find(tenant: string, runId: string): Promise<Found> {
    const head = await this.#store.head(tenant, runId);
    if (head === undefined) {
      return { state: await this.#store.hasRecord(tenant, runId) ? "expired" : "unknown" };
    }
    if ((head.exp ?? Infinity) <= this.#system.now()) return { state: "expired" };
    return { state: head.state === "running" ? "running" : "ended", head };
  }

  /**
   * Waits until a run of another process has told its first frame or is refused before that, no longer
   * than its first client waits: what a message sent again is answered by, like the first.
   */
  async opened(tenant: string, runId: string): Promise<Found | { state: "refused" }> {
    const due = this.#system.now() + OPEN_ANYWAY_MS;
    let found = await this.find(tenant, runId);
    while (found.state === "running" && found.head.frames === 0 && this.#system.now() < due) {
      await untilChanged({ tenant, runId }, { store: this.#store, system: this.#system });
      found = await this.find(tenant, runId);
      if (!("head" in found)) return { state: "refused" };
    }
    return found;
  }

  /** The run to be followed, from memory where it is this process's. */
  follow(tenant: string, runId: string): FollowedRun {
    const known = this.#local.get(runId) ?? this.#followed.get(runId);
    if (known !== undefined) return known;
    const run: StoredRun = new StoredRun({ tenant, runId }, {
      store: this.#store,
      system: this.#system,
      checkOwner: () => this.endIfDead(tenant, runId),
      noteWatched: () => this.#noteWatched(tenant, runId),
      onIdle: () => {
        if (this.#followed.get(runId) === run) this.#followed.delete(runId);
      },
    });
    this.#followed.set(runId, run);
    return run;
  }

  /** Stops a run wherever it runs; one that has ended stays as it is. */
  async cancel(tenant: string, runId: string): Promise<void> {
    const local = this.#local.get(runId);
    if (local !== undefined) return local.stop("cancelled");
    await this.endIfDead(tenant, runId);
    const found = await this.find(tenant, runId);
    if (found.state !== "running") return;
    await requestStop(this.#kv, { owner: found.head.owner, tenant, runId, system: this.#system });
  }

  /** Stops what a session or an API key of the tenant has begun, in all processes. */
  async cancelRunsOf(tenant: string, sourceId: string): Promise<void> {
    for await (const entry of this.#kv.list({ prefix: keys.liveRunsOf(tenant) })) {
      const live = parseRecord(liveRunSchema, entry);
      if (live?.run.source.id === sourceId) await this.cancel(tenant, live.run.runId);
    }
  }

  /** Stops and forgets the runs that go on in a conversation which has just been deleted. */
  async cancelRunsIn(of: Pick<RunFacts, "tenant" | "agentId"> & { id: string; origin?: string }) {
    for await (const entry of this.#kv.list({ prefix: keys.liveRunsOf(of.tenant) })) {
      const live = parseRecord(liveRunSchema, entry);
      if (live?.run.conversationId !== of.id || live.run.agentId !== of.agentId) continue;
      if (live.log?.origin === of.origin) await this.cancel(of.tenant, live.run.runId);
    }
  }

  /** Settles a run whose process died, and ends its log; false when it had ended before. */
  async endIfDead(tenant: string, runId: string): Promise<boolean> {
    if (this.#local.has(runId)) return true;
    const live = parseRecord(liveRunSchema, await this.#kv.get(keys.liveRun(tenant, runId)));
    if (live === undefined) return false;
    const { value: ledger } = await this.#kv.get<Ledger>(keys.tenantLedger(tenant));
    const lease = leaseOf(ledger ?? undefined, runId);
    if (lease === undefined || lease.until <= this.#system.now()) await this.settleDead(live);
    return true;
  }

  /** As `endIfDead`, of a run whose entry is at hand; answers what was charged. */
  async settleDead(live: LiveRun): Promise<Charge | undefined> {
    const end = interruptedEnd(live.run);
    const log = this.#closingOfDead(live);
    const conversation = await this.#conversations.find(live);
    if (conversation === undefined) {
      return await this.#admission.settleDead(live, { end, closing: log });
    }
    const frames = await this.#storedFrames(live);
    const ended = { facts: live.run, end, frames };
    const closing = joinClosings([log, await this.#conversations.closing(conversation, ended)]);
    return await this.#admission.settleDead(live, { end, closing });
  }

  #closingOfDead({ run: facts }: LiveRun): Closing {
    const now = this.#system.now();
    return {
      keys: [],
      bytes: 10_240,
      write(draft) {
        const log = draft.get<LiveRun>(keys.liveRun(facts.tenant, facts.runId))?.log;
        if (log !== undefined) endLog(draft, { facts, log, state: "interrupted", now });
      },
    };
  }

  /** All that is left of a run's log. */
  async #storedFrames({ run: { tenant, runId } }: LiveRun): Promise<Frame[]> {
    const head = await this.#store.head(tenant, runId);
    if (head === undefined) return [];
    return await this.#store.reader(tenant, runId).upTo(head) ?? [];
  }

  /** Whether somebody follows a run of this process through another one. */
  async isWatchedElsewhere(tenant: string, runId: string): Promise<boolean> {
    const { value } = await this.#kv.get<number>(keys.runWatched(tenant, runId));
    return value !== null && value > this.#system.now() - WATCHED_FOR_MS;
  }

  async #noteWatched(tenant: string, runId: string): Promise<void> {
    const key = keys.runWatched(tenant, runId);
    await this.#kv.set(key, this.#system.now(), { expireIn: 2 * WATCHED_FOR_MS });
  }

  close(): void {
    this.#stops.stop();
  }
}
