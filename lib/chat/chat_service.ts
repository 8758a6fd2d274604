import { inputBound } from "../agent/input_bound.ts";
import { runWithTools } from "../agent/tools/run_with_tools.ts";
import type { Toolset } from "../agent/tools/toolset.ts";
import type { Toolsets } from "../agent/tools/toolsets.ts";
import type { Logger } from "../log.ts";
import type { ModelRegistry } from "../models/model_registry.ts";
import type { ModelAccess, ModelName } from "../admin/model_access.ts";
import type { Admission } from "../limits/admission.ts";
import type { KvReader } from "../committer/view.ts";
import type { Charge } from "../limits/settle_run.ts";
import type { CatalogueEntry } from "../storage/catalogue_store.ts";
import type { RunEnd, RunFacts } from "../usage/run_record.ts";
import { billDoubt } from "./bill_doubts.ts";
import { toMicroUsd } from "./money.ts";
import { CALLED_OFF, type System } from "../system.ts";
import type { Agent } from "../wire/agent.ts";
import type { ChatBody, ChatMessage } from "../wire/chat.ts";
import { resolveCandidates, type ResolvedPolicy } from "./resolve_candidates.ts";
import { Run } from "./run.ts";
import { refusalOf } from "./run_refusal.ts";
import { fitContext } from "./fit_context.ts";
import { keptDetails } from "./kept_details.ts";
import { RunBudget } from "./run_budget.ts";
import { stepCost } from "./step_cost.ts";

/** A stream opens without `start` when no vendor has accepted by then. */
const OPEN_ANYWAY_MS = 5_000;
/** Of how many revoked credentials the ids are remembered; what they let in begins within moments. */
const REMEMBERED_REVOCATIONS = 1_000;

/** One message to answer. */
export interface ChatRequest {
  tenant: string;
  agent: Agent;
  body: ChatBody;
  /** The run it becomes, when it is let in. */
  runId: string;
  /** The `x-request-id`, where the body brings none. */
  requestId: string;
  /** The credential it comes with: an API key, or a visitor's session. */
  source: RunFacts["source"];
}

/** A message that could be answered: all of it is valid, nobody has been asked yet. */
export interface PreparedRun {
  request: ChatRequest;
  policy: ResolvedPolicy;
  facts: RunFacts;
  /** What of the conversation fits into the model's context. */
  messages: readonly ChatMessage[];
  /** How many of its messages do not. */
  dropped: number;
  /** What it may cost at most; micro-USD, as the next two. */
  ceiling: number;
  /** What its first step can cost at most. */
  hold: number;
  /** What its first step costs at least. */
  least: number;
}

/** The part of admission that running takes. */
export type RunAdmission = Pick<Admission, "settle" | "reserve">;

interface Driven {
  /** What was set aside when it was let in, micro-USD. */
  hold: number;
  tools: Toolset;
}

/** Runs: begun here, followed by any number of readers, stopped by whoever may. */
export class ChatService {
  #models: ModelAccess;
  #registry: ModelRegistry;
  #system: System;
  #log: Logger;
  #unwatchedMs: number;
  #admission: RunAdmission;
  #toolsets: Toolsets;
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
    },
  ) {
    this.#models = parts.models;
    this.#registry = parts.registry;
    this.#system = parts.system;
    this.#log = parts.log;
    this.#unwatchedMs = parts.unwatchedMs;
    this.#admission = parts.admission;
    this.#toolsets = parts.toolsets;
  }

  /** Runs that have not ended yet. */
  get active(): readonly Run[] {
    return [...this.#runs.keys()];
  }

  /** A run of this process that has not ended yet. */
  find(tenant: string, runId: string): Run | undefined {
    return this.active.find((run) => run.id === runId && run.tenant === tenant);
  }

  /** Checks a message and prices its first step; throws an `ApiError` for one that is not valid. */
  async prepare(request: ChatRequest, reader?: KvReader): Promise<PreparedRun> {
    const { agent, body, source } = request;
    const visitor = source.kind === "session";
    const policy = await resolveCandidates({ ...request, visitor, models: this.#models, reader });
    const primary = policy.entries[0]!;
    const { systemPrompt: system, tools } = agent;
    const { messages, dropped } = fitContext(body.messages, {
      contextTokens: Math.min(...policy.entries.map((entry) => entry.contextTokens)),
      outputTokens: policy.maxOutputTokens,
      otherBytes: inputBound({ system, messages: [], tools: tools as never }),
    });
    const inputTokens = inputBound({ system, messages, tools: tools as never });
    const { most } = stepCost(policy.entries, {
      inputTokens,
      outputTokens: policy.maxOutputTokens,
    });
    const { least } = stepCost([primary], { inputTokens, outputTokens: 1 });
    // What the budget cannot pay is told in the run's frames: it takes its place like any other.
    const ceiling = toMicroUsd(agent.budget.maxCostUsd);
    const facts: RunFacts = {
      runId: request.runId,
      tenant: request.tenant,
      agentId: agent.id,
      agentVersion: agent.version,
      conversationId: body.conversationId ?? this.#system.uuid(),
      source,
      provider: primary.vendor,
      model: primary.model,
      startedAt: this.#system.now(),
    };
    return {
      request,
      policy,
      facts,
      messages,
      dropped,
      ceiling,
      hold: Math.min(most, ceiling),
      least: Math.min(least, ceiling),
    };
  }

  /**
   * Begins the run of a message that has been let in, with `hold` (micro-USD) set aside; settles when
   * the answer may be streamed. Throws an `ApiError` for whatever prevents the stream from starting.
   */
  async begin(prepared: PreparedRun, { hold }: { hold: number }): Promise<Run> {
    const tools = this.#toolsets.open(prepared.request);
    const run = this.#create(prepared, tools);
    const driven = this.#drive(run, prepared, { hold, tools })
      .finally(() => this.#runs.delete(run));
    this.#runs.set(run, driven);
    // Let in before its credential was revoked, and not here yet when the others were cancelled.
    if (this.#revoked.has(run.startedBy)) run.stop("cancelled");
    const begun = await this.#beginning(run);
    if (!begun.started) {
      await driven;
      throw refusalOf(begun.error);
    }
    return run;
  }

  /** Ends the run whose lease this process has lost: another may have settled it already. */
  stopLost(runId: string): void {
    this.active.find((run) => run.id === runId)?.stop("cancelled");
  }

  /** Cancels what a session or an API key has begun and that still goes on, when it is revoked. */
  cancelRunsOf(startedBy: string): void {
    this.#revoked.add(startedBy);
    const [oldest] = this.#revoked;
    if (this.#revoked.size > REMEMBERED_REVOCATIONS) this.#revoked.delete(oldest!);
    for (const run of this.active) {
      if (run.startedBy === startedBy) run.stop("cancelled");
    }
  }

  /** Stops every run of this process and waits until each has written its `done` or is refused. */
  async stopAll(): Promise<void> {
    for (const run of this.active) run.stop("cancelled");
    await Promise.all(this.#runs.values());
  }

  #create(prepared: PreparedRun, tools: Toolset): Run {
    const { request, policy, facts, dropped } = prepared;
    const { runId, conversationId, tenant, source, provider, model } = facts;
    return new Run({
      runId,
      tenant,
      requestId: request.body.requestId ?? request.requestId,
      conversationId,
      startedBy: source.id,
      first: { provider, model },
      system: this.#system,
      unwatchedMs: this.#unwatchedMs,
      price: (name) => priceOf(policy, name),
      details: () => keptDetails({ dropped, ledger: tools.ledger, notes: tools.notes }),
      settle: (end, cost) => this.#settle(prepared, { end, cost }),
      report: (error) => this.#log.error("run failed", { runId, error: String(error) }),
    });
  }

  async #settle(
    { facts: { runId }, policy, ceiling }: PreparedRun,
    { end, cost }: { end: RunEnd; cost: number },
  ): Promise<Charge> {
    const charge = await this.#admission.settle(runId, { end, cost, ceiling });
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
