import { LRUCache } from "lru-cache";
import type { Toolset } from "../agent/tools/toolset.ts";
import type { RunConversation, ToolsetFactory } from "../agent/tools/toolset_factory.ts";
import type { AdmissionResult } from "../billing/admission.ts";
import type { IdempotencyRequest, RunRequest } from "../billing/decide_run.ts";
import type { ModelAccess } from "../billing/model_access.ts";
import { trace } from "../platform/tracing.ts";
import { ApiError } from "../schemas/api_error.ts";
import { canAnswerCalls } from "../schemas/chat_protocol.ts";
import { rejectProof, rejectSessionToken } from "../schemas/reject_credentials.ts";
import type { ModelRegistry } from "../providers/model_registry.ts";
import type { SessionProof } from "../store/credentials/session_binding.ts";
import type { AgentStore } from "../store/agents/agent_store.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { MemoryStore } from "../store/visitors/memory_store.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import { AskedAgents } from "./tools/asked_agents.ts";
import { RunReranker } from "./tools/run_reranker.ts";
import { RunSearches } from "./tools/run_searches.ts";
import type { ConversationHandoffs } from "./handoff/conversation_handoffs.ts";
import { createRun, executeRun, type ExecutionDeps } from "./execute_run.ts";
import type { ChatRequest } from "./chat_request.ts";
import { type PreparedRun, prepareRun } from "./prepare_run.ts";
import type { ReplacedRuns, RunStillActiveError } from "./replaced_runs.ts";
import type { Run } from "./run.ts";
import { RunTrace, traceAdmission, withTrace } from "./run_trace.ts";
import { RunCalls } from "./calls/run_calls.ts";
import type { FollowableRun } from "./log/run_log.ts";
import { rejectRevokedCredential, shuttingDownError, toStartError } from "./start_errors.ts";

/** Revoked credentials to remember; runs that they were admitted for begin within moments. */
const MAX_REVOKED = 1_000;

export interface ChatDeps extends ExecutionDeps {
  access: ModelAccess;
  agents: Pick<AgentStore, "getServed">;
  models: Pick<ModelRegistry, "find" | "connection">;
  memories: Pick<MemoryStore, "list">;
  handoffs: ConversationHandoffs;
  replacedRuns: ReplacedRuns;
  toolsets: ToolsetFactory;
}

/** How a run is admitted, and what identifies its message. */
export interface StartOptions {
  /** Reads as part of the transaction that admits the run. */
  reader?: KvReader;
  /** Counts the message and admits its run in that transaction. */
  admit: (run: Omit<RunRequest, "limits" | "caller">) => Promise<AdmissionResult>;
  /** Absent without an `Idempotency-Key`. */
  idempotency?: IdempotencyRequest | undefined;
  /** The hash of the session token; the session must still exist when the run is admitted. */
  sessionHash?: string | undefined;
  /** Of the session's key; it sends no other message. */
  proof?: SessionProof | undefined;
  /** The id of the run that `endReplaced` has ended for the message. */
  endedRun?: string | undefined;
}

/** A run that a message has started now, or that the same message had started before. */
export interface StartedRun {
  replayed: boolean;
  /** Resolves when the stream may open; throws an `ApiError` if it never will. */
  open: () => Promise<FollowableRun>;
}

type RunningRun = { run: Run; ended: Promise<void>; opened: Promise<Run> };

/** Starts the runs of this process and stops them. */
export class ChatService {
  readonly #deps: ChatDeps;
  /** By id, until settled. */
  readonly #running = new Map<string, RunningRun>();
  /** Toolsets of settled runs whose connections are closing. */
  readonly #closing = new Set<Promise<void>>();
  readonly #revoked = new LRUCache<string, true>({ max: MAX_REVOKED });
  #draining = false;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  get active(): readonly Run[] {
    return [...this.#running.values()].map(({ run }) => run);
  }

  /** True if the process is shutting down and starts no more runs. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Opens the tools that a run of the agent would have, to test one. The caller closes them. */
  openTools(of: Parameters<ToolsetFactory["create"]>[0]): Toolset {
    return this.#deps.toolsets.create(of);
  }

  /**
   * Prepares a message, admits its run and begins it, or finds the run of an earlier message with the
   * same idempotency key. Throws an `ApiError` for an invalid message and for a limit that is reached, and
   * `RunStillActiveError` for a message that replaces a run without an end, see `endReplaced`.
   */
  async start(
    request: ChatRequest,
    { reader, admit, idempotency, sessionHash, proof, endedRun }: StartOptions,
  ): Promise<StartedRun> {
    if (this.#draining) throw shuttingDownError();
    const prepared = await prepareOrFallBack(request, { ...this.#deps, reader, endedRun });
    const { tracing } = this.#deps;
    const runTrace = tracing && new RunTrace(tracing, prepared.facts);
    if (runTrace !== undefined) prepared.facts = withTrace(prepared.facts, runTrace);
    const { facts: run, hold, minFirstStepCost: minHold, startHook } = prepared;
    const sender = { sessionHash, proof };
    const work = () => admit({ run, hold, minHold, startHook, idempotency, ...sender });
    const admitted = await traceAdmission(
      runTrace,
      () => trace(tracing, { name: "admission", work }),
    );
    if (admitted.kind === "gone") rejectSessionToken();
    if (admitted.kind === "unproven") rejectProof();
    if (admitted.kind === "replayed") {
      const replayed = { tenant: run.tenant, runId: admitted.runId, recordKey: idempotency!.key };
      return { replayed: true, open: () => this.#openReplayed(replayed) };
    }
    // Begin synchronously with admission, so that a retry of the message finds the run.
    const opened = this.#begin(prepared, { ...admitted, runTrace });
    return { replayed: false, open: () => opened };
  }

  /** Ends the run that a message replaces, so that the message can be started. */
  endReplaced(run: RunStillActiveError): Promise<void> {
    return this.#deps.replacedRuns.end(run);
  }

  /** Resolves when the stream of a run of this process may open; `undefined` for other runs. */
  findOpened(runId: string): Promise<Run> | undefined {
    return this.#running.get(runId)?.opened;
  }

  #begin(
    prepared: PreparedRun,
    { hold, runTrace }: { hold: number; runTrace: RunTrace | undefined },
  ): Promise<Run> {
    const { toolsets, runs } = this.#deps;
    const { request, facts } = prepared;
    const asked = new AskedAgents(
      { ...this.#deps, close: (inner) => this.#close(inner) },
      { asker: request, chain: [request.agent.id] },
    );
    const reranker = new RunReranker(prepared.reranker, this.#deps);
    const searches = new RunSearches();
    const tools = toolsets.create({
      ...request,
      conversation: storedConversation(prepared),
      askAgent: asked.ask,
      rerank: prepared.reranker && reranker.rerank,
      onCoverage: searches.add,
      ...canAnswerCalls(facts.source.protocol) && {
        askVisitor: (...question) => calls.askVisitor(...question),
      },
    });
    const run = createRun(prepared, { deps: this.#deps, tools, asked, searches, runTrace });
    const { wallClockMs } = request.agent.budget;
    const calls: RunCalls = new RunCalls(run, { facts, wallClockMs, deps: this.#deps });
    const execution = { deps: this.#deps, hold, tools, asked, calls, reranker };
    const execute = () => executeRun(run, prepared, execution);
    const executed = runTrace === undefined ? execute() : runTrace.within(execute);
    const ended = executed.finally(() => {
      runTrace?.end();
      this.#running.delete(run.id);
      runs.remove(run);
      this.#close(tools);
    });
    const opened = this.#open(run, { ended, source: prepared.facts.source });
    this.#running.set(run.id, { run, ended, opened });
    runs.add(run);
    // Its credential was revoked, or the process began to shut down, during admission.
    if (this.#revoked.has(run.startedBy)) run.stop("cancelled");
    if (this.#draining) run.stop("interrupted");
    return opened;
  }

  async #open(
    run: Run,
    { ended, source }: { ended: Promise<void>; source: RunFacts["source"] },
  ): Promise<Run> {
    const opening = await run.waitUntilOpen();
    if (opening.started) return run;
    await ended;
    if (this.#revoked.has(run.startedBy)) rejectRevokedCredential(source.kind);
    throw toStartError(opening.error, { attempted: run.firstAttempted !== undefined });
  }

  /** Waits like the first client; 410 if the frames of the run are gone. */
  async #openReplayed(
    replayed: { tenant: string; runId: string; recordKey: Deno.KvKey },
  ): Promise<FollowableRun> {
    const { runs } = this.#deps;
    const local = await this.findOpened(replayed.runId);
    if (local !== undefined) return local;
    const { state } = await runs.waitUntilOpen(replayed);
    if (state === "rejected") {
      const message = "no model has accepted this message; send it again";
      throw new ApiError("service_unavailable", message);
    }
    if (state === "running" || state === "ended") {
      return runs.follow(replayed.tenant, replayed.runId);
    }
    throw new ApiError("stream_expired", "the frames of this message's run are gone");
  }

  /** Closes tools in the background: only a shutdown waits for slow servers. */
  #close(tools: Toolset): void {
    const closed = tools.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** Stops a run after this process lost its lease: another process may have settled it. */
  stopRunWithLostLease(runId: string): void {
    this.#running.get(runId)?.run.stop("interrupted");
  }

  /** Cancels the active runs of a revoked session or API key, in all processes. */
  async cancelRunsOf(tenant: string, startedBy: string): Promise<void> {
    this.#revoked.set(startedBy, true);
    for (const run of this.active) {
      if (run.startedBy === startedBy) run.stop("cancelled");
    }
    await this.#deps.runs.cancelRunsOf(tenant, startedBy);
  }

  /**
   * Starts no more runs and gives the active ones `graceMs` to end. The rest are interrupted: charged,
   * stored and reported to their clients. Resolves when none is left.
   */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    const grace = new AbortController();
    const elapsed = this.#deps.runtime.sleep(graceMs, grace.signal).catch(() => {});
    await Promise.race([this.#allEnded(), elapsed]);
    grace.abort();
    await this.stopAll();
  }

  /** Like `drain`, without a grace period. */
  async stopAll(): Promise<void> {
    this.#draining = true;
    for (const run of this.active) run.stop("interrupted");
    await this.#allEnded();
  }

  async #allEnded(): Promise<void> {
    // A run admitted before draining may begin while the others are awaited.
    while (this.#running.size + this.#closing.size > 0) {
      const ends = [...this.#running.values()].map(({ ended }) => ended);
      await Promise.all([...ends, ...this.#closing]);
    }
  }
}

/**
 * What a canary cannot take, the published version may: the canary's model may have left the plan since it
 * was started. Without this its visitors would get errors that no limit of the canary counts.
 */
async function prepareOrFallBack(
  request: ChatRequest,
  deps: Parameters<typeof prepareRun>[1],
): Promise<PreparedRun> {
  const { published, canary, ...rest } = request;
  try {
    return await prepareRun(request, deps);
  } catch (error) {
    if (published === undefined || !(error instanceof ApiError)) throw error;
    const divided = canary && { ...canary, arm: "published" as const };
    return await prepareRun({ ...rest, agent: published, canary: divided }, deps);
  }
}

/** For tools that change the conversation; `undefined` if it is not stored. */
function storedConversation(
  { request: { origin, runId }, facts, startHook }: PreparedRun,
): RunConversation | undefined {
  if (startHook.conversation === undefined) return undefined;
  return { id: facts.conversationId, runId, origin, visitor: facts.visitor };
}
