import type { Truncation } from "../agent/fit_step.ts";
import type { AgentEvent, AgentOutcome } from "../agent/agent_run.ts";
import { ModelError, type ModelUsage } from "../providers/model.ts";
import type { Frame } from "../schemas/frames.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import { DeltaCoalescer } from "./delta_coalescer.ts";
import type { RunDetails, RunEnd } from "../store/runs/run_record.ts";
import { type Price, toUsd } from "../billing/money.ts";
import { RunUsage } from "./run_usage.ts";
import { INTERRUPTED_ERROR, RunLog } from "./run_log.ts";
import { type Runtime, setTimer } from "../platform/runtime.ts";
import { Watchers } from "./watchers.ts";

/** A stream opens without `start` when no vendor has accepted by then. */
export const MAX_OPEN_DELAY_MS = 5_000;

/** Why a run ends from outside: somebody wants it, its time is up, or its process goes. */
export type StopReason = "cancelled" | "timeout" | "interrupted";

/** What ends a run from outside. */
export class RunStoppedError extends Error {
  override name = "RunStopped";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`the run was stopped: ${reason}`);
    this.reason = reason;
  }
}

export interface RunOptions {
  runId: string;
  tenant: string;
  requestId: string;
  conversationId: string;
  /** Id of the session or API key that began it: revoking that cancels the run. */
  startedBy: string;
  /** Named in `start` when nobody has been asked by then. */
  first: { provider: ProviderId; model: string };
  runtime: Runtime;
  /** A run nobody follows for this long is cancelled. */
  unwatchedMs: number;
  price: (name: { provider: ProviderId; model: string }) => Price;
  /** What else is kept with the record of the run; `left` is what did not fit into its steps. */
  details: (left: Truncation) => RunDetails;
  /** Told of each frame as it is written. */
  onFrame: (frame: Frame) => void;
  /** Whether somebody follows the run through another process. */
  isWatchedElsewhere: () => Promise<boolean>;
  /**
   * Charges the run, frees its slot and stores what is left of it, `last` being its last frames, before
   * any of those is told. `opened` is false for one that is refused without any frame.
   */
  settle: (
    end: RunEnd,
    how: {
      costMicroUsd: number;
      last: (chargedMicroUsd: number) => Frame[];
      opened: boolean;
    },
  ) => Promise<{ charged: number }>;
  /** Called with what an unknown failure was; the wire only says `internal_error`. */
  report: (error: unknown) => void;
}

/** How a run began: a model accepted it, or it failed before any frame was written. */
export type RunStartResult = { started: true } | { started: false; error: unknown };

/**
 * One accepted message until its `done` frame: turns the agent's events into frames, keeps the
 * account, and ends in exactly one way whatever happens.
 */
export class Run {
  readonly id: string;
  readonly log: RunLog;
  readonly watchers: Watchers;
  readonly #options: RunOptions;
  readonly #stop = new AbortController();
  readonly #beginning = Promise.withResolvers<RunStartResult>();
  readonly #deltas = new DeltaCoalescer((text) => this.log.append({ type: "delta", text }));
  #opened = false;
  /** It has failed without a frame, and is being settled as one that never was. */
  #refused = false;
  readonly #account: RunUsage;
  #beganAt: number;
  #firstTextMs: number | undefined;
  #answering: { provider: ProviderId; model: string };
  #firstAsked: { provider: ProviderId; model: string } | undefined;

  constructor(options: RunOptions) {
    this.id = options.runId;
    this.log = new RunLog(options.onFrame);
    this.#answering = options.first;
    this.#account = new RunUsage(options.price);
    this.#beganAt = options.runtime.now();
    this.#options = options;
    this.watchers = new Watchers({ ...options, onAbandoned: () => this.stop("cancelled") });
  }

  get tenant(): string {
    return this.#options.tenant;
  }

  get startedBy(): string {
    return this.#options.startedBy;
  }

  /** What it has cost so far, by what the vendors said. */
  get costMicroUsd(): number {
    return this.#account.costMicroUsd;
  }

  /** Who was asked before anybody else, if anybody was. */
  get firstAttempted(): { provider: ProviderId; model: string } | undefined {
    return this.#firstAsked;
  }

  /** Aborts everything the run is doing, when it is stopped. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Settles once it is known whether the run begins or is refused as a whole. */
  get startResult(): Promise<RunStartResult> {
    return this.#beginning.promise;
  }

  /** Ends the run from outside; the second call and any after the end do nothing. */
  stop(reason: StopReason): void {
    this.#stop.abort(new RunStoppedError(reason));
  }

  /**
   * Settles when a stream may be opened to a client: a model has accepted, or has kept everybody
   * waiting for too long; then a failure is told in frames.
   */
  waitUntilOpen(): Promise<RunStartResult> {
    return new Promise((resolve) => {
      const callOff = setTimer(this.#options.runtime, MAX_OPEN_DELAY_MS, () => {
        // A stream opened now would never get a frame, nor an end.
        if (this.#refused) return;
        this.#opened = true;
        resolve({ started: true });
      });
      void this.#beginning.promise.then((beginning) => {
        callOff();
        resolve(beginning);
      });
    });
  }

  /** Until somebody accepts, whoever was asked last is who the run names. */
  onAttempt({ provider, model }: { provider: ProviderId; model: string }): void {
    this.#firstAsked ??= { provider, model };
    if (this.log.length === 0) this.#answering = { provider, model };
  }

  /** Not all of a step's prompt fits. */
  onTruncation(what: Truncation): void {
    this.#account.addTruncation(what);
  }

  /** An attempt that came to nothing has been paid for all the same. */
  onUsage(name: { provider: ProviderId; model: string }, usage: ModelUsage): void {
    const { provider, model } = name;
    this.#account.addTokens({ ...usage, provider, model });
  }

  /** Drives the agent to its end. Never throws. */
  async drive(events: AsyncGenerator<AgentEvent, AgentOutcome>): Promise<void> {
    try {
      await this.#finish(await this.#consume(events));
    } catch (error) {
      const cause = this.signal.aborted ? this.signal.reason : error;
      const outcome = this.#outcomeOf(cause);
      if (this.#opened) return await this.#finish(outcome);
      this.#refused = true;
      await this.#settle(outcome, () => []);
      this.#beginning.resolve({ started: false, error: cause });
    }
  }

  async #consume(events: AsyncGenerator<AgentEvent, AgentOutcome>): Promise<AgentOutcome> {
    while (true) {
      const next = await events.next();
      if (next.done) return next.value;
      this.#take(next.value);
    }
  }

  #take(event: AgentEvent): void {
    switch (event.type) {
      case "step":
        this.#account.countStep(event);
        return event.n === 1 ? this.#start(event) : undefined;
      case "text":
        this.#firstTextMs ??= Math.max(0, this.#options.runtime.now() - this.#beganAt);
        return this.#deltas.push(event.text);
      case "tool_call":
        this.#account.toolCalls++;
        return this.#write({ type: "tool_call", name: event.name, args: event.args as never });
      case "tool_result":
        return this.#write({
          type: "tool_result",
          name: event.name,
          output: event.output as never,
        });
      case "usage":
        return this.#account.addTokens(event);
      default:
        event satisfies never;
    }
  }

  #start(answering: { provider: ProviderId; model: string }): void {
    const { requestId, runId, conversationId } = this.#options;
    const { provider, model } = answering;
    this.#answering = { provider, model };
    this.log.append({ type: "start", requestId, runId, provider, model, conversationId });
    this.#opened = true;
    this.#beginning.resolve({ started: true });
  }

  async #finish(outcome: AgentOutcome): Promise<void> {
    if (this.log.length === 0) this.#start(this.#answering);
    this.#deltas.flush();
    const { inputTokens, outputTokens } = this.#account.totals;
    const last = (charged: number): Frame[] => [
      { type: "usage", inputTokens, outputTokens, costUsd: toUsd(charged) },
      ...(outcome.error === undefined ? [] : [{ type: "error" as const, ...outcome.error }]),
      { type: "done", finishReason: outcome.finishReason },
    ];
    for (const frame of last(await this.#settle(outcome, last))) this.log.append(frame);
    this.watchers.settle();
  }

  /**
   * What was charged, micro-USD. A settlement that cannot be made is made up for later: the lease
   * lapses, and all it holds is charged.
   */
  async #settle(
    { finishReason, error }: AgentOutcome,
    last: (charged: number) => Frame[],
  ): Promise<number> {
    const { costMicroUsd, totals } = this.#account;
    const end: RunEnd = {
      ...this.#answering,
      ...totals,
      ...this.#options.details(this.#account.truncation),
      ...(this.#firstTextMs === undefined ? {} : { firstTextMs: this.#firstTextMs }),
      finishReason: error?.code === "run_interrupted" ? "interrupted" : finishReason,
      ...(error === undefined ? {} : { errorCode: error.code }),
    };
    try {
      const opened = this.#opened;
      return (await this.#options.settle(end, { costMicroUsd, last, opened })).charged;
    } catch (fault) {
      this.#options.report(fault);
      return costMicroUsd;
    }
  }

  /** Any frame but a delta: what text is held goes first. */
  #write(frame: Frame): void {
    this.#deltas.flush();
    this.log.append(frame);
  }

  #outcomeOf(cause: unknown): AgentOutcome {
    if (cause instanceof RunStoppedError) return stoppedOutcome(cause);
    if (cause instanceof ModelError) {
      return { finishReason: "error", error: { code: cause.code, message: cause.message } };
    }
    this.#options.report(cause);
    const message = "the run failed on our side";
    return { finishReason: "error", error: { code: "internal_error", message } };
  }
}

function stoppedOutcome({ reason }: RunStoppedError): AgentOutcome {
  switch (reason) {
    case "cancelled":
      return { finishReason: "cancelled" };
    case "interrupted":
      return { finishReason: "error", error: INTERRUPTED_ERROR };
    case "timeout": {
      const message = "the agent's time for one answer is used up";
      return { finishReason: "timeout", error: { code: "budget_exceeded", message } };
    }
    default:
      return reason satisfies never;
  }
}
