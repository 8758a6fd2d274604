import { LRUCache } from "lru-cache";
import type { ModelAccess, ModelName } from "../billing/model_access.ts";
import { runWithTools } from "../agent/run_agent.ts";
import type { Toolset } from "../agent/tools/toolset.ts";
import type { ToolsetFactory } from "../agent/tools/toolset_factory.ts";
import type { KvReader } from "../store/tx/view.ts";
import type { Admission } from "../billing/admission.ts";
import type { Charge, Closing } from "../billing/settle_run.ts";
import type { Logger } from "../platform/log.ts";
import type { ModelRegistry } from "../providers/model_registry.ts";
import type { CatalogueEntry } from "../store/providers/catalogue_store.ts";
import { type Runtime, setTimer } from "../platform/runtime.ts";
import type { RunEnd, RunFacts } from "../store/runs/run_record.ts";
import { billingAnomaly } from "./billing_anomaly.ts";
import { type ChatRequest, type PreparedRun, prepareRun } from "./prepare_run.ts";
import { contextWindow, type ResolvedPolicy } from "./resolve_candidates.ts";
import { Run } from "./run.ts";
import { runMetadata } from "./run_metadata.ts";
import { RunBudget } from "./run_budget.ts";
import type { RunRegistry } from "./run_registry.ts";
import { rejectRevokedCredential, shuttingDownError, toStartError } from "./start_errors.ts";
import type { RunLogWriter } from "./run_log_writer.ts";

/** Of how many revoked credentials the ids are remembered; what they let in begins within moments. */
const REMEMBERED_REVOCATIONS = 1_000;

/** The part of admission that running takes. */
export type RunAdmission = Pick<Admission, "settle" | "reserve">;

interface Driven {
  /** What was set aside when it was let in, micro-USD. */
  hold: number;
  tools: Toolset;
}

/** A run that has been settled. */
export interface SettledRun {
  tenant: string;
  end: RunEnd;
  /** Who was asked before anybody else, if anybody was. */
  firstAttempted: ModelName | undefined;
}

/** What running takes. */
export interface ChatDeps {
  models: ModelAccess;
  registry: ModelRegistry;
  runtime: Runtime;
  log: Logger;
  /** A run that nobody follows for so long is cancelled, milliseconds. */
  unwatchedMs: number;
  admission: RunAdmission;
  toolsets: ToolsetFactory;
  directory: RunRegistry;
  /** Told of each run that has been settled. */
  onSettled?: (run: SettledRun) => void;
}

/** Runs: begun here, followed by any number of readers, stopped by whoever may. */
export class ChatService {
  #parts: ChatDeps;
  /** By their ids, until they have ended. */
  #runs = new Map<string, { run: Run; ended: Promise<void>; begun: Promise<Run> }>();
  /** Tools of runs that have ended, until their connections are closed. */
  #leaving = new Set<Promise<void>>();
  #revoked = new LRUCache<string, true>({ max: REMEMBERED_REVOCATIONS });
  #draining = false;

  constructor(parts: ChatDeps) {
    this.#parts = parts;
  }

  /** Runs that have not ended yet. */
  get active(): readonly Run[] {
    return [...this.#runs.values()].map(({ run }) => run);
  }

  /** Whether the process is about to end: it begins nothing any more. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Checks a message and prices its first step; throws an `ApiError` for one that is not valid. */
  async prepare(request: ChatRequest, reader?: KvReader): Promise<PreparedRun> {
    if (this.#draining) throw shuttingDownError();
    return await prepareRun(request, { ...this.#parts, reader });
  }

  /** The tools that a run of the agent would have, to be tried without one; close them. */
  openTools(of: Parameters<ToolsetFactory["create"]>[0]): Toolset {
    return this.#parts.toolsets.create(of);
  }

  /**
   * Begins the run of a message that has been let in, with `hold` (micro-USD) set aside; settles when
   * the answer may be streamed. Throws an `ApiError` for whatever prevents the stream from starting.
   */
  begin(prepared: PreparedRun, { hold }: { hold: number }): Promise<Run> {
    const { toolsets, directory } = this.#parts;
    const tools = toolsets.create(prepared.request);
    const run = this.#create(prepared, tools);
    const ended = this.#drive(run, prepared, { hold, tools }).finally(() => {
      this.#runs.delete(run.id);
      directory.remove(run);
      this.#leave(tools);
    });
    const begun = this.#opening(run, { ended, source: prepared.facts.source });
    this.#runs.set(run.id, { run, ended, begun });
    directory.add(run);
    // Let in before its credential was revoked, and not here yet when the others were cancelled.
    if (this.#revoked.has(run.startedBy)) run.stop("cancelled");
    if (this.#draining) run.stop("interrupted");
    return begun;
  }

  /** What `begin` answers for a run of this process that goes on; for who sends its message again. */
  begun(runId: string): Promise<Run> | undefined {
    return this.#runs.get(runId)?.begun;
  }

  async #opening(
    run: Run,
    { ended, source }: { ended: Promise<void>; source: RunFacts["source"] },
  ): Promise<Run> {
    const opening = await run.waitUntilOpen();
    if (opening.started) return run;
    await ended;
    if (this.#revoked.has(run.startedBy)) rejectRevokedCredential(source.kind);
    throw toStartError(opening.error, { asked: run.firstAttempted !== undefined });
  }

  /** A server that is slow to be taken leave of keeps nobody waiting but the end of the process. */
  #leave(tools: Toolset): void {
    const left = tools.close().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  /** Ends the run whose lease this process has lost: another may have settled it already. */
  stopRunWithLostLease(runId: string): void {
    this.#runs.get(runId)?.run.stop("interrupted");
  }

  /** Cancels what a session or an API key has begun and that still goes on, when it is revoked. */
  async cancelRunsOf(tenant: string, startedBy: string): Promise<void> {
    this.#revoked.set(startedBy, true);
    for (const run of this.active) {
      if (run.startedBy === startedBy) run.stop("cancelled");
    }
    await this.#parts.directory.cancelRunsOf(tenant, startedBy);
  }

  /**
   * Begins nothing any more, and gives the runs of this process `graceMs` to end by themselves. The
   * rest are interrupted: charged, stored and told so. Settles when none is left.
   */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    const grace = new AbortController();
    const late = this.#parts.runtime.sleep(graceMs, grace.signal).catch(() => {});
    await Promise.race([this.#allEnded(), late]);
    grace.abort();
    await this.stopAll();
  }

  /** As `drain`, without any grace. */
  async stopAll(): Promise<void> {
    this.#draining = true;
    for (const run of this.active) run.stop("interrupted");
    await this.#allEnded();
  }

  async #allEnded(): Promise<void> {
    // One that was let in just before may come while the others are waited for.
    while (this.#runs.size + this.#leaving.size > 0) {
      const ends = [...this.#runs.values()].map(({ ended }) => ended);
      await Promise.all([...ends, ...this.#leaving]);
    }
  }

  #create(prepared: PreparedRun, tools: Toolset): Run {
    const { request, policy, facts, droppedMessages } = prepared;
    const { runtime, directory, unwatchedMs, log: logger } = this.#parts;
    const { runId, conversationId, tenant, source, provider, model } = facts;
    const stored = () =>
      directory.createLogWriter(prepared, {
        log: run.log,
        onLost: () => run.stop("interrupted"),
      });
    let log: RunLogWriter | undefined;
    const run: Run = new Run({
      runId,
      tenant,
      requestId: request.body.requestId ?? request.requestId,
      conversationId,
      startedBy: source.id,
      first: { provider, model },
      runtime,
      unwatchedMs,
      price: (name) => priceOf(policy, name),
      details: (left) =>
        runMetadata({
          dropped: droppedMessages,
          left,
          ledger: tools.egressCalls,
          notes: tools.notes,
        }),
      onFrame: (frame) => (log ??= stored()).onAppend(frame),
      isWatchedElsewhere: () => directory.isWatchedElsewhere(tenant, runId),
      settle: async (end, { costMicroUsd: cost, last, opened }) => {
        const ended = { stored: log ??= stored(), log: run.log, end, last };
        const closing = await directory.settleHook(prepared, ended).catch((fault) => {
          // Its slot must come free whatever there is to store of it.
          logger.error("a run's end could not be stored", { runId, error: String(fault) });
          return directory.interruptionHook(prepared.facts, ended.stored);
        });
        const charge = await this.#settle(prepared, { end, cost, closing, opened });
        this.#parts.onSettled?.({ tenant, end, firstAttempted: run.firstAttempted });
        return charge;
      },
      report: (error) => logger.error("run failed", { runId, error: String(error) }),
    });
    return run;
  }

  async #settle(
    { facts, policy, maxCost }: PreparedRun,
    how: { end: RunEnd; cost: number; closing: Closing; opened: boolean },
  ): Promise<Charge> {
    const { admission, directory, log } = this.#parts;
    const { runId } = facts;
    const { end, cost } = how;
    const stored = { ...how, end: directory.sealEnd(facts, end) };
    const charge = await admission.settle(runId, { ...stored, ceiling: maxCost });
    const doubt = billingAnomaly({ end, cost, charge, price: priceOf(policy, end) });
    if (doubt !== undefined) {
      const { provider, model, inputTokens, outputTokens } = end;
      const costs = { costMicroUsd: charge.charged, excessMicroUsd: charge.excess };
      log.warn(doubt, { runId, provider, model, inputTokens, outputTokens, ...costs });
    }
    return charge;
  }

  async #drive(run: Run, prepared: PreparedRun, { hold, tools }: Driven): Promise<void> {
    const { request: { agent }, policy, messages, maxCost } = prepared;
    const { wallClockMs, maxSteps } = agent.budget;
    const { runtime, admission, registry } = this.#parts;
    const budget = new RunBudget({
      entries: policy.entries,
      maxOutputTokens: policy.maxOutputTokens,
      maxCost,
      hold,
      spent: () => run.costMicroUsd,
      raise: (amount) => admission.reserve(run.id, amount),
    });
    const callOff = setTimer(runtime, wallClockMs, () => run.stop("timeout"));
    try {
      await run.drive(runWithTools(tools, {
        candidates: policy.entries.map(({ vendor, model }) => ({
          provider: vendor,
          model,
          client: registry.find(vendor, model),
        })),
        system: agent.systemPrompt,
        messages,
        authorizeStep: (step) => budget.authorizeStep(step),
        onAttempt: (candidate) => run.onAttempt(candidate),
        onUsage: (candidate, usage) => run.onUsage(candidate, usage),
        contextWindow: contextWindow(policy),
        onTruncation: (what) => run.onTruncation(what),
        maxSteps,
        deadline: runtime.now() + wallClockMs,
        signal: run.signal,
        ...(policy.temperature === undefined ? {} : { temperature: policy.temperature }),
      }));
    } finally {
      callOff();
    }
  }
}

function priceOf({ entries }: ResolvedPolicy, name: ModelName): CatalogueEntry {
  return entries.find((e) => e.vendor === name.provider && e.model === name.model) ?? entries[0]!;
}
