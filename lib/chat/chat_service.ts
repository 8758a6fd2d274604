import { runAgent, toolError } from "../agent/run_agent.ts";
import { ApiError } from "../errors.ts";
import type { Logger } from "../log.ts";
import { ModelError, type ModelTool } from "../models/model.ts";
import type { ModelRegistry } from "../models/model_registry.ts";
import type { ModelAccess } from "../admin/model_access.ts";
import type { Admission } from "../limits/admission.ts";
import type { KvReader } from "../committer/view.ts";
import type { RunFacts } from "../usage/run_record.ts";
import { toMicroUsd } from "./money.ts";
import type { System } from "../system.ts";
import type { Agent } from "../wire/agent.ts";
import type { ChatBody } from "../wire/chat.ts";
import { resolveCandidates, type ResolvedPolicy } from "./resolve_candidates.ts";
import { Run, RunStopped } from "./run.ts";
import { affordableOutput, inputBound, type StepCost, stepCost } from "./step_cost.ts";

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
  /** What its first step can cost, micro-USD. */
  cost: StepCost;
  inputTokens: number;
}

/** The part of admission that running takes. */
export type Settles = Pick<Admission, "settle">;

/** Runs: begun here, followed by any number of readers, stopped by whoever may. */
export class ChatService {
  #models: ModelAccess;
  #registry: ModelRegistry;
  #system: System;
  #log: Logger;
  #unwatchedMs: number;
  #admission: Settles;
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
      admission: Settles;
    },
  ) {
    this.#models = parts.models;
    this.#registry = parts.registry;
    this.#system = parts.system;
    this.#log = parts.log;
    this.#unwatchedMs = parts.unwatchedMs;
    this.#admission = parts.admission;
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
    const inputTokens = inputBound(agent, body.messages);
    const tokens = { inputTokens, outputTokens: policy.maxOutputTokens };
    const primary = policy.entries[0]!;
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
    return { request, policy, facts, cost: stepCost(policy.entries, tokens), inputTokens };
  }

  /**
   * Begins the run of a message that has been let in, with `hold` (micro-USD) set aside; settles when
   * the answer may be streamed. Throws an `ApiError` for whatever prevents the stream from starting.
   */
  async begin(prepared: PreparedRun, { hold }: { hold: number }): Promise<Run> {
    const run = this.#create(prepared);
    const driven = this.#drive(run, prepared, hold).finally(() => this.#runs.delete(run));
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

  #create({ request, policy, facts }: PreparedRun): Run {
    const { runId, conversationId, tenant, source, provider, model } = facts;
    const ceiling = toMicroUsd(request.agent.budget.maxCostUsd);
    return new Run({
      runId,
      tenant,
      requestId: request.body.requestId ?? request.requestId,
      conversationId,
      startedBy: source.id,
      first: { provider, model },
      system: this.#system,
      unwatchedMs: this.#unwatchedMs,
      price: (name) =>
        policy.entries.find((e) => e.vendor === name.provider && e.model === name.model) ??
          policy.entries[0]!,
      settle: (end, cost) => this.#admission.settle(runId, { end, cost, ceiling }),
      report: (error) => this.#log.error("run failed", { runId, error: String(error) }),
    });
  }

  async #drive(
    run: Run,
    { request: { agent, body }, policy, inputTokens }: PreparedRun,
    hold: number,
  ): Promise<void> {
    const timer = new AbortController();
    this.#system.sleep(agent.budget.wallClockMs, timer.signal)
      .then(() => run.stop("timeout"), () => {});
    const wanted = policy.maxOutputTokens;
    try {
      await run.drive(runAgent({
        candidates: policy.entries.map((entry) => ({
          provider: entry.vendor,
          model: entry.model,
          client: this.#registry.find(entry.vendor, entry.model),
          maxOutputTokens: affordableOutput(entry, { hold, inputTokens, wanted }),
        })),
        system: agent.systemPrompt,
        messages: body.messages,
        tools: describeTools(agent),
        executeTool: refuseTool,
        maxSteps: agent.budget.maxSteps,
        signal: run.signal,
        ...(policy.temperature === undefined ? {} : { temperature: policy.temperature }),
      }));
    } finally {
      timer.abort();
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
      waiting.abort();
    }
  }
}

function describeTools(agent: Agent): ModelTool[] {
  return agent.tools.filter((tool) => tool.type === "http")
    .map(({ name, description, parameters }) => ({ name, description, parameters }));
}

/** Until tools can go out through a guarded connection, none goes out at all. */
function refuseTool(): Promise<unknown> {
  const message = "this version of the service stores tools but does not call them yet";
  return Promise.resolve(toolError("tool_unreachable", message));
}

function refusalOf(error: unknown): Error {
  if (error instanceof ModelError) return new ApiError(error.code, error.message);
  if (error instanceof RunStopped) {
    return error.finishReason === "timeout"
      ? new ApiError("provider_timeout", "no model accepted within the agent's wallClockMs")
      : new ApiError("service_unavailable", "the run was stopped before a model accepted it");
  }
  return error instanceof Error ? error : new Error("the run did not begin");
}
