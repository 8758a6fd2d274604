import { runWithTools } from "../agent/tools/run_with_tools.ts";
import type { Toolset } from "../agent/tools/toolset.ts";
import type { Toolsets } from "../agent/tools/toolsets.ts";
import type { Logger } from "../log.ts";
import type { ModelRegistry } from "../models/model_registry.ts";
import type { ModelAccess, ModelName } from "../admin/model_access.ts";
import type { Admission } from "../limits/admission.ts";
import type { KvReader } from "../committer/view.ts";
import type { Charge, Closing } from "../limits/settle_run.ts";
import type { CatalogueEntry } from "../storage/catalogue_store.ts";
import type { RunEnd } from "../usage/run_record.ts";
import { billDoubt } from "./bill_doubts.ts";
import { CALLED_OFF, type System } from "../system.ts";
import type { ResolvedPolicy } from "./resolve_candidates.ts";
import { type ChatRequest, type PreparedRun, prepareRun, type Preparing } from "./prepare_run.ts";
import { Run } from "./run.ts";
import { refusalOf, refuseRevoked } from "./run_refusal.ts";
import type { RunDirectory } from "./run_directory.ts";
import type { StoredLog } from "./stored_log.ts";
import { RunBudget } from "./run_budget.ts";

/** A stream opens without `start` when no vendor has accepted by then. */
const OPEN_ANYWAY_MS = 5_000;
/** Of how many revoked credentials the ids are remembered; what they let in begins within moments. */
const REMEMBERED_REVOCATIONS = 1_000;

/** Calls of tools that are kept with a run: a record has room for 64 KiB. */
const KEPT_EGRESS_CALLS = 100;

/** The part of admission that running takes. */
export type RunAdmission = Pick<Admission, "settle" | "reserve">;

interface Driven {
  /** What was set aside when it was let in, micro-USD. */
  hold: number;
  tools: Toolset;
}

/** Runs: begun here, followed by any number of readers, stopped by whoever may. */
export class ChatService {
  #preparing: Preparing;
  #registry: ModelRegistry;
  #system: System;
  #log: Logger;
  #unwatchedMs: number;
  #admission: RunAdmission;
  #toolsets: Toolsets;
  #directory: RunDirectory;
  /** Each with the promise of its end. */
  #runs = new Map<Run, Promise<void>>();
  #revoked = new Set<string>();

  constructor(
    parts: {
      models: ModelAccess;
      registry: ModelRegistry;
      system: System;
      log: Logger;
      unwatchedMs: number;
      admission: RunAdmission;
      toolsets: Toolsets;
      directory: RunDirectory;
    },
  ) {
    this.#preparing = parts;
    this.#registry = parts.registry;
    this.#system = parts.system;
    this.#log = parts.log;
    this.#unwatchedMs = parts.unwatchedMs;
    this.#admission = parts.admission;
    this.#toolsets = parts.toolsets;
    this.#directory = parts.directory;
  }

  /** Runs that have not ended yet. */
  get active(): readonly Run[] {
    return [...this.#runs.keys()];
  }

  /** Checks a message and prices its first step; throws an `ApiError` for one that is not valid. */
  async prepare(request: ChatRequest, reader?: KvReader): Promise<PreparedRun> {
    return await prepareRun(request, { ...this.#preparing, reader });
  }

  /**
   * Begins the run of a message that has been let in, with `hold` (micro-USD) set aside; settles when
   * the answer may be streamed. Throws an `ApiError` for whatever prevents the stream from starting.
   */
  async begin(prepared: PreparedRun, { hold }: { hold: number }): Promise<Run> {
    const tools = this.#toolsets.open(prepared.request);
    const run = this.#create(prepared, tools);
    const driven = this.#drive(run, prepared, { hold, tools }).finally(() => {
      this.#runs.delete(run);
      this.#directory.remove(run);
    });
    this.#runs.set(run, driven);
    this.#directory.add(run);
    // Let in before its credential was revoked, and not here yet when the others were cancelled.
    if (this.#revoked.has(run.startedBy)) run.stop("cancelled");
    const begun = await this.#beginning(run);
    if (!begun.started) {
      await driven;
      if (this.#revoked.has(run.startedBy)) refuseRevoked(prepared.facts.source.kind);
      throw refusalOf(begun.error);
    }
    return run;
  }

  /** Ends the run whose lease this process has lost: another may have settled it already. */
  stopLost(runId: string): void {
    this.active.find((run) => run.id === runId)?.stop("cancelled");
  }

  /** Cancels what a session or an API key has begun and that still goes on, when it is revoked. */
  async cancelRunsOf(tenant: string, startedBy: string): Promise<void> {
    this.#revoked.add(startedBy);
    const [oldest] = this.#revoked;
    if (this.#revoked.size > REMEMBERED_REVOCATIONS) this.#revoked.delete(oldest!);
    for (const run of this.active) {
      if (run.startedBy === startedBy) run.stop("cancelled");
    }
    await this.#directory.cancelRunsOf(tenant, startedBy);
  }

  /** Stops every run of this process and waits until each has written its `done` or is refused. */
  async stopAll(): Promise<void> {
    for (const run of this.active) run.stop("cancelled");
    await Promise.all(this.#runs.values());
  }

  #create(prepared: PreparedRun, tools: Toolset): Run {
    const { request, policy, facts, dropped } = prepared;
    const { runId, conversationId, tenant, source, provider, model } = facts;
    const stored = () =>
      this.#directory.storedLog(prepared.opening.head, {
        log: run.log,
        onLost: () => run.stop("cancelled"),
      });
    let log: StoredLog | undefined;
    const run: Run = new Run({
      runId,
      tenant,
      requestId: request.body.requestId ?? request.requestId,
      conversationId,
      startedBy: source.id,
      first: { provider, model },
      system: this.#system,
      unwatchedMs: this.#unwatchedMs,
      price: (name) => priceOf(policy, name),
      details: () => ({
        ...(dropped === 0 ? {} : { droppedMessages: dropped }),
        ...(tools.ledger.length === 0 ? {} : { egress: tools.ledger.slice(0, KEPT_EGRESS_CALLS) }),
        ...(tools.notes.length === 0 ? {} : { notes: [...tools.notes] }),
      }),
      onFrame: (frame) => (log ??= stored()).appended(frame),
      isWatchedElsewhere: () => this.#directory.isWatchedElsewhere(tenant, runId),
      settle: async (end, { costMicroUsd: cost, last }) => {
        const ended = { stored: log ??= stored(), log: run.log, end, last };
        const closing = await this.#directory.closing(prepared, ended);
        return await this.#settle(prepared, { end, cost, closing });
      },
      report: (error) => this.#log.error("run failed", { runId, error: String(error) }),
    });
    return run;
  }

  async #settle(
    { facts: { runId }, policy, ceiling }: PreparedRun,
    { end, cost, closing }: { end: RunEnd; cost: number; closing: Closing },
  ): Promise<Charge> {
    const charge = await this.#admission.settle(runId, { end, cost, ceiling, closing });
    const doubt = billDoubt({ end, cost, charge, price: priceOf(policy, end) });
    if (doubt !== undefined) {
      const { provider, model, inputTokens, outputTokens } = end;
      const costs = { costMicroUsd: charge.charged, excessMicroUsd: charge.excess };
      this.#log.warn(doubt, { runId, provider, model, inputTokens, outputTokens, ...costs });
    }
    return charge;
  }

  async #drive(run: Run, prepared: PreparedRun, { hold, tools }: Driven): Promise<void> {
    const { request: { agent }, policy, messages, ceiling } = prepared;
    const { wallClockMs, maxSteps } = agent.budget;
    const budget = new RunBudget({
      entries: policy.entries,
      maxOutputTokens: policy.maxOutputTokens,
      ceiling,
      hold,
      spent: () => run.costMicroUsd,
      raise: (amount) => this.#admission.reserve(run.id, amount),
    });
    const timer = new AbortController();
    this.#system.sleep(wallClockMs, timer.signal).then(() => run.stop("timeout"), () => {});
    try {
      await run.drive(runWithTools(tools, {
        candidates: policy.entries.map(({ vendor, model }) => ({
          provider: vendor,
          model,
          client: this.#registry.find(vendor, model),
        })),
        system: agent.systemPrompt,
        messages,
        allow: (step) => budget.allow(step),
        asking: (candidate) => run.asking(candidate),
        maxSteps,
        deadline: this.#system.now() + wallClockMs,
        signal: run.signal,
        ...(policy.temperature === undefined ? {} : { temperature: policy.temperature }),
      }));
    } finally {
      timer.abort(CALLED_OFF);
      await tools.close();
    }
  }

  async #beginning(run: Run) {
    const waiting = new AbortController();
    const late = this.#system.sleep(OPEN_ANYWAY_MS, waiting.signal).then(
      () => {
        run.commitToStream();
        return { started: true } as const;
      },
      () => run.beginning,
    );
    try {
      return await Promise.race([run.beginning, late]);
    } finally {
      waiting.abort(CALLED_OFF);
    }
  }
}

function priceOf({ entries }: ResolvedPolicy, name: ModelName): CatalogueEntry {
  return entries.find((e) => e.vendor === name.provider && e.model === name.model) ?? entries[0]!;
}
