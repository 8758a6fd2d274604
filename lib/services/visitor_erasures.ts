import type { VisitorAccounts } from "../billing/visitor_accounts.ts";
import type { RunInConversation } from "../chat/active_runs.ts";
import type { RunRegistry } from "../chat/run_registry.ts";
import type { Logger } from "../platform/log.ts";
import { PeriodicTask } from "../platform/periodic_task.ts";
import { isoTime, type Runtime } from "../platform/runtime.ts";
import { ApiError } from "../schemas/api_error.ts";
import type { Erasure, VisitorProgress } from "../schemas/visitor_erasure.ts";
import { conversationName } from "../store/conversations/conversation_record.ts";
import type { ConversationStore } from "../store/conversations/conversation_store.ts";
import type { ContentCipher } from "../store/encryption/content_cipher.ts";
import type { ErasureStore, VisitorName } from "../store/visitors/erasure_store.ts";
import type { IsDue, VisitorData } from "../store/visitors/visitor_data.ts";
import { visitorHash } from "../store/visitors/visitor_ids.ts";

/** A request deletes for this long; the rest is done in the background. */
const REQUEST_MS = 2_000;
/** A run of this process ends within moments after it was cancelled. */
const WAITS = { times: 20, ms: 50 } as const;
/** Runs of other processes are looked at this often. */
const PENDING_MS = 2_000;
/** An erasure that another process has left unfinished is found after this time at most. */
const IDLE_MS = 5 * 60_000;

interface VisitorErasuresDeps {
  accounts: Pick<VisitorAccounts, "forget">;
  erasures: ErasureStore;
  data: VisitorData;
  conversations: Pick<ConversationStore, "delete">;
  runs: Pick<RunRegistry, "runsOfVisitor" | "cancel">;
  content: ContentCipher;
  runtime: Runtime;
  log: Logger;
}

/**
 * Deletes everything of a visitor. The order matters: first no session can be minted, then no run can be
 * admitted, then no run is active, and then nothing writes any more. Each step can be repeated, by any
 * process, and every attempt starts with the first, so a crash loses nothing.
 */
export class VisitorErasures {
  readonly #deps: VisitorErasuresDeps;
  readonly #task: PeriodicTask;
  /** Until the first look, an earlier process may have left some. */
  #hasPending = true;
  #isClosed = false;

  constructor(deps: VisitorErasuresDeps) {
    this.#deps = deps;
    const everyMs = () => this.#hasPending ? PENDING_MS : IDLE_MS;
    this.#task = new PeriodicTask(deps.runtime, { everyMs, work: () => this.sweep() });
  }

  /** Continues unfinished erasures until closed. */
  start(): void {
    this.#task.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#task.stop();
  }

  /** Begins to delete everything of a visitor, or goes on; the state says whether all is gone. */
  async erase(tenant: string, visitorId: string): Promise<Erasure> {
    const { erasures, content, runtime } = this.#deps;
    const name = { tenant, visitor: visitorHash(content, tenant, visitorId) };
    const id = await erasures.begin(name);
    const until = runtime.now() + REQUEST_MS;
    const isDue = () => this.#isClosed || runtime.now() > until;
    for (let n = 0; n < WAITS.times && !isDue(); n++) {
      if (await this.#attempt(name, isDue)) return await this.status(tenant, id);
      await runtime.sleep(WAITS.ms);
    }
    this.#hasPending = true;
    this.#task.start();
    this.#task.reschedule();
    return await this.status(tenant, id);
  }

  /** What is left of a visitor: its conversations, and the erasure in progress, if there is one. */
  async progress(tenant: string, visitorId: string): Promise<VisitorProgress> {
    const { content, data, erasures } = this.#deps;
    const name = { tenant, visitor: visitorHash(content, tenant, visitorId) };
    const id = await erasures.idOfPending(name);
    let conversations = 0;
    for await (const _name of data.conversations(name)) conversations++;
    return { conversations, ...id !== undefined && { erasure: await this.status(tenant, id) } };
  }

  /** The state of an erasure of the tenant; 404 if there is none, or it ended 30 days ago. */
  async status(tenant: string, id: string): Promise<Erasure> {
    const found = await this.#deps.erasures.status(tenant, id);
    if (found === undefined) throw new ApiError("not_found", "there is no such erasure");
    const { requestedAt, finishedAt } = found;
    return {
      id,
      state: finishedAt === undefined ? "running" : "done",
      requestedAt: isoTime(requestedAt),
      ...finishedAt !== undefined && { finishedAt: isoTime(finishedAt) },
    };
  }

  /** Goes on with every unfinished erasure. Never throws. */
  async sweep(): Promise<void> {
    try {
      const pending = await this.#deps.erasures.pending();
      const isDue = () => this.#isClosed;
      const done = [];
      for (const name of pending) done.push(await this.#attempt(name, isDue));
      this.#hasPending = done.includes(false);
    } catch (error) {
      this.#hasPending = true;
      this.#deps.log.error("could not look for erasures of visitors", { error });
    }
    this.#task.reschedule();
  }

  /** True if nothing is left. A failure is logged and left to the next attempt. */
  async #attempt(name: VisitorName, isDue: IsDue): Promise<boolean> {
    try {
      return await this.#erase(name, isDue);
    } catch (error) {
      const { tenant } = name;
      this.#deps.log.error("could not delete the data of a visitor", { tenant, error });
      return false;
    }
  }

  async #erase(name: VisitorName, isDue: IsDue): Promise<boolean> {
    const { accounts, data, erasures, runs } = this.#deps;
    await data.deleteSessions(name);
    await data.deleteReceipts(name);
    const runIds = await this.#cancelRuns(name);
    // Another process has finished it.
    if (runIds === undefined) return true;
    if (!await data.deleteConversations(name, isDue)) return false;
    if ((await runs.runsOfVisitor(name.tenant, name.visitor)).length > 0) return false;
    // Nothing writes any more; this finds what the last runs have written.
    if (!await data.deleteConversations(name, isDue)) return false;
    if (!await data.deleteHandoffs(name, isDue)) return false;
    if (!await data.deleteAttachments(name, isDue)) return false;
    if (!await data.deleteMemories(name, isDue)) return false;
    if (!await data.deleteRuns(name, { runIds, isDue })) return false;
    // After the runs, because cases are created from runs.
    if (!await data.deleteTestCases(name, isDue)) return false;
    await accounts.forget(name.tenant, name.visitor);
    await erasures.finish(name);
    return true;
  }

  /** Cancels active runs; what they store is deleted as they end. Returns those of all attempts. */
  async #cancelRuns(name: VisitorName): Promise<readonly string[] | undefined> {
    const { tenant, visitor } = name;
    const { conversations, erasures, runs } = this.#deps;
    const active = await runs.runsOfVisitor(tenant, visitor);
    const known = await erasures.noteRuns(name, active.map(({ runId }) => runId));
    const nameOf = (run: RunInConversation) => `${run.conversationId} ${run.agentId} ${run.origin}`;
    for (const group of Map.groupBy(active, nameOf).values()) {
      const { conversationId, agentId, origin } = group[0]!;
      const of = await conversationName(conversationId, { tenant, agentId, origin, visitor });
      await conversations.delete(of, group.map(({ runId }) => runId));
    }
    for (const { runId } of active) await runs.cancel(tenant, runId);
    return known;
  }
}
