import type { AgentEvent, AgentOutcome } from "../agent/run_agent.ts";
import { ModelError } from "../models/model.ts";
import type { Frame } from "../wire/frames.ts";
import type { Vendor } from "../wire/vendors.ts";
import { DeltaCoalescer } from "./delta_coalescer.ts";
import type { RunDetails, RunEnd } from "../usage/run_record.ts";
import { costMicroUsd, type Price, toUsd } from "./money.ts";
import { RunLog } from "./run_log.ts";
import type { System } from "../system.ts";
import { Watchers } from "./watchers.ts";

/** What ends a run from outside; the finish reason is the abort's own. */
export class RunStopped extends Error {
  override name = "RunStopped";
  readonly finishReason: "cancelled" | "timeout";

  constructor(finishReason: "cancelled" | "timeout") {
    super(`the run was stopped: ${finishReason}`);
    this.finishReason = finishReason;
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
  first: { provider: Vendor; model: string };
  system: System;
  /** A run nobody follows for this long is cancelled. */
  unwatchedMs: number;
  price: (name: { provider: Vendor; model: string }) => Price;
  /** What else is kept with the record of the run. */
  details: () => RunDetails;
  /** Charges the run, frees its slot and records it, before `usage` and `done` are written. */
  settle: (end: RunEnd, costMicroUsd: number) => Promise<{ charged: number }>;
  /** Called with what an unknown failure was; the wire only says `internal_error`. */
  report: (error: unknown) => void;
}

/** How a run began: a model accepted it, or it failed before any frame was written. */
export type RunBeginning = { started: true } | { started: false; error: unknown };

/**
 * One accepted message until its `done` frame: turns the agent's events into frames, keeps the
 * account, and ends in exactly one way whatever happens.
 */
export class Run {
  readonly id: string;
  readonly log = new RunLog();
  readonly watchers: Watchers;
  readonly #options: RunOptions;
  readonly #stop = new AbortController();
  readonly #beginning = Promise.withResolvers<RunBeginning>();
  readonly #deltas = new DeltaCoalescer((text) => this.log.append({ type: "delta", text }));
  #opened = false;
  #account = { inputTokens: 0, outputTokens: 0, costMicroUsd: 0, steps: 0, toolCalls: 0 };
  #beganAt: number;
  #firstTextMs: number | undefined;
  #answering: { provider: Vendor; model: string };

  constructor(options: RunOptions) {
    this.id = options.runId;
    this.#answering = options.first;
    this.#beganAt = options.system.now();
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

  /** Aborts everything the run is doing, when it is stopped. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Settles once it is known whether the run begins or is refused as a whole. */
  get beginning(): Promise<RunBeginning> {
    return this.#beginning.promise;
  }

  /** Ends the run from outside; the second call and any after the end do nothing. */
  stop(reason: "cancelled" | "timeout"): void {
    this.#stop.abort(new RunStopped(reason));
  }

  /**
   * From now on a failure is told in frames: the stream has been opened to a client before any model
   * accepted.
   */
  commitToStream(): void {
    this.#opened = true;
  }

  /** Until somebody accepts, whoever was asked last is who the run names. */
  asking({ provider, model }: { provider: Vendor; model: string }): void {
    if (this.log.length === 0) this.#answering = { provider, model };
  }

  /** Drives the agent to its end. Never throws. */
  async drive(events: AsyncGenerator<AgentEvent, AgentOutcome>): Promise<void> {
    try {
      await this.#finish(await this.#consume(events));
    } catch (error) {
      const cause = this.signal.aborted ? this.signal.reason : error;
      const outcome = this.#outcomeOf(cause);
      if (this.#opened) return await this.#finish(outcome);
      await this.#settle(outcome);
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
        this.#account.steps = event.n;
        return event.n === 1 ? this.#start(event) : undefined;
      case "text":
        this.#firstTextMs ??= Math.max(0, this.#options.system.now() - this.#beganAt);
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
        this.#account.inputTokens += event.inputTokens;
        this.#account.outputTokens += event.outputTokens;
        this.#account.costMicroUsd += costMicroUsd(this.#options.price(event), event);
        return;
      default:
        event satisfies never;
    }
  }

  #start(answering: { provider: Vendor; model: string }): void {
    const { requestId, runId, conversationId } = this.#options;
    const { provider, model } = answering;
    this.#answering = { provider, model };
    this.log.append({ type: "start", requestId, runId, provider, model, conversationId });
    this.#opened = true;
    this.#beginning.resolve({ started: true });
  }

  async #finish(outcome: AgentOutcome): Promise<void> {
    if (this.log.length === 0) this.#start(this.#answering);
    const charged = await this.#settle(outcome);
    const { inputTokens, outputTokens } = this.#account;
    this.#write({ type: "usage", inputTokens, outputTokens, costUsd: toUsd(charged) });
    if (outcome.error) this.#write({ type: "error", ...outcome.error });
    this.#write({ type: "done", finishReason: outcome.finishReason });
    this.watchers.settle();
  }

  /**
   * What was charged, micro-USD. A settlement that cannot be made is made up for later: the lease
   * lapses, and all it holds is charged.
   */
  async #settle({ finishReason, error }: AgentOutcome): Promise<number> {
    const { costMicroUsd, ...counted } = this.#account;
    const end: RunEnd = {
      ...this.#answering,
      ...counted,
      ...this.#options.details(),
      ...(this.#firstTextMs === undefined ? {} : { firstTextMs: this.#firstTextMs }),
      finishReason,
      ...(error === undefined ? {} : { errorCode: error.code }),
    };
    try {
      return (await this.#options.settle(end, costMicroUsd)).charged;
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
    if (cause instanceof RunStopped) return stoppedOutcome(cause);
    if (cause instanceof ModelError) {
      return { finishReason: "error", error: { code: cause.code, message: cause.message } };
    }
    this.#options.report(cause);
    const message = "the run failed on our side";
    return { finishReason: "error", error: { code: "internal_error", message } };
  }
}

function stoppedOutcome(cause: RunStopped): AgentOutcome {
  if (cause.finishReason === "cancelled") return { finishReason: "cancelled" };
  const message = "the agent's time for one answer is used up";
  return { finishReason: "timeout", error: { code: "budget_exceeded", message } };
}
