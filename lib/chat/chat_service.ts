import { runWithTools } from "../agent/tools/run_with_tools.ts";
import type { Toolset } from "../agent/tools/toolset.ts";
import type { Toolsets } from "../agent/tools/toolsets.ts";
import { ApiError } from "../errors.ts";
import type { Logger } from "../log.ts";
import { ModelError } from "../models/model.ts";
import type { ModelRegistry } from "../models/model_registry.ts";
import type { ModelAccess } from "../admin/model_access.ts";
import type { Admission } from "../limits/admission.ts";
import { costMicroUsd } from "./money.ts";
import type { System } from "../system.ts";
import type { Agent } from "../wire/agent.ts";
import type { ChatBody } from "../wire/chat.ts";
import { resolveCandidates, type ResolvedPolicy } from "./resolve_candidates.ts";
import { Run, RunStopped } from "./run.ts";

/** A stream opens without `start` when no vendor has accepted by then. */
const OPEN_ANYWAY_MS = 5_000;

/** One message to answer. */
export interface ChatRequest {
  tenant: string;
  agent: Agent;
  body: ChatBody;
  /** The `x-request-id`, where the body brings none. */
  requestId: string;
  /** The caller holds a widget session, not an API key. */
  visitor: boolean;
  /** Id of the session or API key that sends it. */
  startedBy: string;
  /** The last check before the run begins: slot and money are taken; throws to refuse. */
  admit: (runId: string, holdMicroUsd: number) => Promise<void>;
}

/** Runs: begun here, followed by any number of readers, stopped by whoever may. */
export class ChatService {
  #models: ModelAccess;
  #registry: ModelRegistry;
  #system: System;
  #log: Logger;
  #unwatchedMs: number;
  #admission: Pick<Admission, "settle">;
  #toolsets: Toolsets;
  /** Each with the promise of its end. */
  #runs = new Map<Run, Promise<void>>();

  constructor(
    parts: {
      models: ModelAccess;
      registry: ModelRegistry;
      system: System;
      log: Logger;
      unwatchedMs: number;
      admission: Pick<Admission, "settle">;
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

  /**
   * Admits one message and begins its run; settles when the answer may be streamed. Throws an
   * `ApiError` for whatever prevents the stream from starting.
   */
  async begin(request: ChatRequest): Promise<Run> {
    const policy = await resolveCandidates({ ...request, models: this.#models });
    const runId = this.#system.uuid();
    await request.admit(runId, firstStepCost(request, policy));
    const run = this.#create(request, { policy, runId });
    const driven = this.#drive(run, request, policy).finally(() => this.#runs.delete(run));
    this.#runs.set(run, driven);
    const begun = await this.#beginning(run);
    if (!begun.started) {
      await driven;
      throw refusalOf(begun.error);
    }
    return run;
  }

  /** Cancels what a session or an API key has begun and that still goes on, when it is revoked. */
  cancelRunsOf(startedBy: string): void {
    for (const run of this.active) {
      if (run.startedBy === startedBy) run.stop("cancelled");
    }
  }

  /** Stops every run of this process and waits until each has written its `done` or is refused. */
  async stopAll(): Promise<void> {
    for (const run of this.active) run.stop("cancelled");
    await Promise.all(this.#runs.values());
  }

  #create(
    request: ChatRequest,
    { policy, runId }: { policy: ResolvedPolicy; runId: string },
  ): Run {
    const primary = policy.entries[0]!;
    return new Run({
      runId,
      requestId: request.body.requestId ?? request.requestId,
      conversationId: request.body.conversationId ?? this.#system.uuid(),
      startedBy: request.startedBy,
      first: { provider: primary.vendor, model: primary.model },
      system: this.#system,
      unwatchedMs: this.#unwatchedMs,
      price: ({ provider, model }) =>
        policy.entries.find((e) => e.vendor === provider && e.model === model) ?? primary,
      settle: (cost) => this.#admission.settle({ runId, tenant: request.tenant, cost }),
      report: (error) => this.#log.error("run failed", { runId, error: String(error) }),
    });
  }

  async #drive(run: Run, request: ChatRequest, policy: ResolvedPolicy): Promise<void> {
    const { agent, body } = request;
    const tools = this.#toolsets.open(request);
    const timer = new AbortController();
    this.#system.sleep(agent.budget.wallClockMs, timer.signal)
      .then(() => run.stop("timeout"), () => {});
    try {
      await run.drive(runWithTools(tools, {
        candidates: policy.entries.map((entry) => ({
          provider: entry.vendor,
          model: entry.model,
          client: this.#registry.find(entry.vendor, entry.model),
        })),
        system: agent.systemPrompt,
        messages: body.messages,
        maxSteps: agent.budget.maxSteps,
        maxOutputTokens: policy.maxOutputTokens,
        signal: run.signal,
        ...(policy.temperature === undefined ? {} : { temperature: policy.temperature }),
      }));
    } finally {
      timer.abort();
      this.#logTools(run, tools);
      await tools.close();
    }
  }

  #logTools({ id: runId }: Run, { ledger, notes }: Toolset): void {
    if (ledger.length > 0) this.#log.debug("what tools reached", { runId, calls: ledger });
    if (notes.length > 0) this.#log.warn("tools were left out", { runId, notes });
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

/** What the first step can cost at most: no token is shorter than a byte. In micro-USD. */
function firstStepCost({ agent, body }: ChatRequest, policy: ResolvedPolicy): number {
  const text = agent.systemPrompt + JSON.stringify(body.messages) + JSON.stringify(agent.tools);
  const inputTokens = new TextEncoder().encode(text).length;
  const most = policy.entries.map((entry) =>
    costMicroUsd(entry, { inputTokens, outputTokens: policy.maxOutputTokens })
  );
  return Math.max(...most);
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
