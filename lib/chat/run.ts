import type { Truncation } from "../agent/fit_step.ts";
import type { AgentEvent, AgentOutcome } from "../agent/agent_run_options.ts";
import { limitOutcome } from "../agent/last_step.ts";
import type { ModelName } from "../billing/model_access.ts";
import { toUsd } from "../billing/micro_usd.ts";
import type { Price } from "../schemas/token_cost.ts";
import { monotonicNow, type Runtime, setTimer } from "../platform/runtime.ts";
import { ModelError } from "../providers/model.ts";
import type { Frame } from "../schemas/frames.ts";
import type { RunDetails, RunEnd } from "../store/runs/run_record.ts";
import { DeltaCoalescer } from "./log/delta_coalescer.ts";
import { INTERRUPTED_ERROR, RunLog } from "./log/run_log.ts";
import { RunUsage } from "./cost/run_usage.ts";
import { Followers } from "./followers.ts";
import { OpenCalls } from "./calls/open_calls.ts";
import { toCallFrame, toResultFrame } from "./calls/tool_frames.ts";

/** After this long a stream opens even if no model has accepted yet. */
export const MAX_OPEN_DELAY_MS = 5_000;

/** Of the reasoning that is stored with a run, in characters. */
const MAX_REASONING_LENGTH = 16_384;

/** Why a run is stopped: on request, its time is up, or its process ends. */
export type StopReason = "cancelled" | "timeout" | "interrupted";

export class RunStoppedError extends Error {
  override name = "RunStopped";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`the run was stopped: ${reason}`);
    this.reason = reason;
  }
}

export interface RunSettlement {
  end: RunEnd;
  costMicroUsd: number;
  /** What the models thought, for people who read the conversation; never a frame. */
  reasoning: string;
  /** The last frames, which depend on what was charged. */
  finalFrames: (chargedMicroUsd: number) => Frame[];
  /** False if the run fails without any frame. */
  opened: boolean;
}

export interface RunOptions {
  runId: string;
  tenant: string;
  requestId: string;
  conversationId: string;
  /** Id of the session or API key; revoking it cancels the run. */
  startedBy: string;
  /** Named in `start` if no model was tried by then. */
  primary: ModelName;
  /** Set for a message to a person, which no model answers. */
  handoff?: "waiting" | "taken";
  runtime: Runtime;
  /** A run without followers for this long is cancelled, milliseconds. */
  abandonedAfterMs: number;
  price: (name: ModelName) => Price;
  metadata: (truncation: Truncation) => RunDetails;
  onFrame: (frame: Frame) => void;
  /** True if a client follows the run through another process. */
  isFollowedElsewhere: () => Promise<boolean>;
  /** Charges the run, frees its slot and stores its end, before the final frames are sent. */
  settle: (settlement: RunSettlement) => Promise<{ charged: number }>;
  /** Receives unknown errors; clients only see `internal_error`. */
  reportError: (error: unknown) => void;
}

/** A model has accepted the run, or it failed before its first frame. */
export type RunStartResult = { started: true } | { started: false; error: unknown };

/**
 * One admitted message up to its `done` frame: turns the agent's events into frames, counts usage, and
 * ends in exactly one way.
 */
export class Run {
  readonly id: string;
  readonly tenant: string;
  readonly startedBy: string;
  /** The first model that was tried, if any was. */
  firstAttempted: ModelName | undefined;
  /** Attempts that fail are billed too. */
  readonly usage: RunUsage;
  readonly log: RunLog;
  readonly followers: Followers;
  readonly #options: RunOptions;
  readonly #abort = new AbortController();
  readonly #startResult = Promise.withResolvers<RunStartResult>();
  readonly #deltas: DeltaCoalescer;
  readonly #startedAt: number;
  #opened = false;
  /** Failed without a frame and is being settled. */
  #failedToStart = false;
  #firstTextMs: number | undefined;
  readonly #calls: OpenCalls;
  #reasoning = "";
  /** The model that `start` names. */
  #model: ModelName;

  constructor(options: RunOptions) {
    this.id = options.runId;
    this.tenant = options.tenant;
    this.startedBy = options.startedBy;
    this.log = new RunLog(options.onFrame);
    this.#model = options.primary;
    this.usage = new RunUsage(options.price);
    this.#calls = new OpenCalls(options.runtime);
    this.#startedAt = options.runtime.now();
    this.#options = options;
    const now = () => monotonicNow(options.runtime);
    this.#deltas = new DeltaCoalescer((text) => this.log.append({ type: "delta", text }), { now });
    this.followers = new Followers({ ...options, onAbandoned: () => this.stop("cancelled") });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Stops the run; later calls and calls after its end do nothing. */
  stop(reason: StopReason): void {
    this.#abort.abort(new RunStoppedError(reason));
  }

  /**
   * Resolves when a stream may open: a model has accepted, or took too long to answer. In the latter case
   * the stream reports a failure in frames.
   */
  waitUntilOpen(): Promise<RunStartResult> {
    return new Promise((resolve) => {
      const cancelTimer = setTimer(this.#options.runtime, MAX_OPEN_DELAY_MS, () => {
        // A stream opened now would never receive a frame.
        if (this.#failedToStart) return;
        this.#opened = true;
        resolve({ started: true });
      });
      void this.#startResult.promise.then((result) => {
        cancelTimer();
        resolve(result);
      });
    });
  }

  /** Until a model accepts, the run names the last one that was tried. */
  onAttempt({ provider, model }: ModelName): void {
    this.firstAttempted ??= { provider, model };
    if (this.log.length === 0) this.#model = { provider, model };
  }

  /** Runs the agent to its end; `runAgent` gets the function that takes its events. Never throws. */
  async drive(
    runAgent: (onEvent: (event: AgentEvent) => number | void) => Promise<AgentOutcome>,
  ): Promise<void> {
    try {
      await this.#finish(await runAgent((event) => this.report(event)));
    } catch (error) {
      const cause = this.signal.aborted ? this.signal.reason : error;
      const outcome = this.#outcomeOf(cause);
      if (this.#opened) return await this.#finish(outcome);
      this.#failedToStart = true;
      await this.#settle(outcome, () => []);
      this.#startResult.resolve({ started: false, error: cause });
    }
  }

  /** Adds an event of the agent to the log; returns the number of a tool call. */
  report(event: AgentEvent): number | void {
    switch (event.type) {
      case "step":
        this.usage.countStep(event);
        return event.n === 1 ? this.#start(event) : undefined;
      case "text":
        this.#firstTextMs ??= Math.max(0, this.#options.runtime.now() - this.#startedAt);
        return this.#deltas.push(event.text);
      case "tool_call":
        this.usage.toolCalls++;
        this.#append(toCallFrame(event));
        this.#calls.begin(this.log.length, event.others);
        return this.log.length;
      case "tool_result":
        return this.#append(toResultFrame({ ...event, ...this.#calls.end(event.call) }));
      case "reasoning":
        return this.#addReasoning(event.text);
      case "usage":
        return this.usage.addTokens(event);
      default:
        event satisfies never;
    }
  }

  #addReasoning(text: string): void {
    const separator = this.#reasoning === "" ? "" : "\n\n";
    this.#reasoning = (this.#reasoning + separator + text).slice(0, MAX_REASONING_LENGTH);
  }

  /** The number of the next tool call's frame, provided that the model says nothing before. */
  nextCall(): number {
    this.#deltas.flush();
    return this.log.length + 1;
  }

  /** Calls run beside each other, whose frames have the next numbers. */
  get hasReservedNumbers(): boolean {
    return this.#calls.reservedUntil > this.log.length;
  }

  #start({ provider, model }: ModelName): void {
    const { requestId, runId, conversationId, handoff } = this.#options;
    this.#model = { provider, model };
    const facts = { requestId, runId, provider, model, conversationId };
    this.log.append({ type: "start", ...facts, ...handoff && { handoff } });
    this.#opened = true;
    this.#startResult.resolve({ started: true });
  }

  async #finish(outcome: AgentOutcome): Promise<void> {
    if (this.log.length === 0) this.#start(this.#model);
    this.#deltas.flush();
    const { inputTokens, outputTokens } = this.usage.totals;
    const finalFrames = (charged: number): Frame[] => [
      { type: "usage", inputTokens, outputTokens, costUsd: toUsd(charged) },
      ...(outcome.error === undefined ? [] : [{ type: "error" as const, ...outcome.error }]),
      { type: "done", finishReason: outcome.finishReason },
    ];
    const charged = await this.#settle(outcome, finalFrames);
    for (const frame of finalFrames(charged)) this.log.append(frame);
    this.followers.settle();
  }

  /**
   * Returns what was charged, micro-USD. If settling fails it is retried later, or the lease expires and
   * the whole hold is charged.
   */
  async #settle(
    { finishReason, error }: AgentOutcome,
    finalFrames: RunSettlement["finalFrames"],
  ): Promise<number> {
    const { costMicroUsd, totals, truncation } = this.usage;
    const end: RunEnd = {
      ...this.#model,
      ...totals,
      ...this.#options.metadata(truncation),
      ...(this.#firstTextMs === undefined ? {} : { firstTextMs: this.#firstTextMs }),
      ...(this.#calls.ms.length === 0 ? {} : { toolMs: this.#calls.ms }),
      ...(this.usage.lastStepLimit === undefined
        ? {}
        : { askedToFinish: this.usage.lastStepLimit }),
      finishReason: error?.code === "run_interrupted" ? "interrupted" : finishReason,
      ...(error === undefined ? {} : { errorCode: error.code }),
    };
    try {
      const reasoning = this.#reasoning.toWellFormed();
      const settlement = { end, costMicroUsd, reasoning, finalFrames, opened: this.#opened };
      return (await this.#options.settle(settlement)).charged;
    } catch (failure) {
      this.#options.reportError(failure);
      return costMicroUsd;
    }
  }

  /** Appends any frame but a delta, after the pending text. */
  #append(frame: Frame): void {
    this.#deltas.flush();
    this.log.append(frame);
  }

  #outcomeOf(cause: unknown): AgentOutcome {
    if (cause instanceof RunStoppedError) return STOPPED_OUTCOMES[cause.reason];
    if (cause instanceof ModelError) {
      return { finishReason: "error", error: { code: cause.code, message: cause.message } };
    }
    this.#options.reportError(cause);
    const message = "the run failed on our side";
    return { finishReason: "error", error: { code: "internal_error", message } };
  }
}

const STOPPED_OUTCOMES: Readonly<Record<StopReason, AgentOutcome>> = {
  cancelled: { finishReason: "cancelled" },
  interrupted: { finishReason: "error", error: INTERRUPTED_ERROR },
  timeout: limitOutcome("timeout"),
};
