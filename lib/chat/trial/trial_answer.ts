import type { AgentEvent, AgentOutcome } from "../../agent/agent_run_options.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { Coverage } from "../../schemas/coverage.ts";
import type { FinishReason } from "../../schemas/error_codes.ts";
import type { ModelShare } from "../../store/runs/run_record.ts";
import type { RunUsage } from "../cost/run_usage.ts";
import { RunSearches } from "../tools/run_searches.ts";

/** A tool call of a trial. */
export interface TrialCall {
  name: string;
  args: unknown;
  /** Absent if the trial ended earlier. */
  output?: unknown;
  /** The recorded run made no such call. */
  differs?: true;
}

/** What an agent answered. Money in micro-USD, times in milliseconds. */
export interface TrialResult {
  agentVersion: number;
  text: string;
  calls: TrialCall[];
  /** What each model used: its caller charges that. */
  shares: ModelShare[];
  cost: number;
  inputTokens: number;
  outputTokens: number;
  steps: number;
  latencyMs: number;
  /** How much the best search of the knowledge base found; absent without a search. */
  coverage?: Coverage;
  /** Absent without any text. */
  firstTextMs?: number;
  finishReason: FinishReason;
  error?: { code: string; message: string };
}

/** The outcome of a trial, which may also end before its first step. */
export interface TrialOutcome extends Omit<AgentOutcome, "error"> {
  error?: { code: string; message: string };
}

/** Collects what an agent says and calls in a trial. */
export class TrialAnswer {
  readonly searches = new RunSearches();
  /** Set before the first event. */
  usage: RunUsage | undefined;
  readonly #version: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #calls: TrialCall[] = [];
  /** By the number of their events. */
  readonly #byNumber = new Map<number, TrialCall>();
  readonly #texts: string[] = [];
  #events = 0;
  /** The numbers of calls that the recorded run did not make. */
  readonly #differing: number[] = [];
  #firstTextMs: number | undefined;

  /** `now` is monotonic, in milliseconds. */
  constructor({ version }: Pick<Agent, "version">, { now }: { now: () => number }) {
    this.#version = version;
    this.#now = now;
    this.#startedAt = now();
  }

  readonly onEvent = (event: AgentEvent): number | void => {
    switch (event.type) {
      case "step":
        return this.usage?.countStep(event);
      case "text":
        this.#firstTextMs ??= this.#elapsedMs;
        return void this.#texts.push(event.text);
      case "usage":
        return this.usage?.addTokens(event);
      case "tool_call": {
        const call: TrialCall = { name: event.name, args: event.args };
        this.#calls.push(call);
        this.#byNumber.set(++this.#events, call);
        return this.#events;
      }
      case "tool_result": {
        this.#events++;
        const call = this.#byNumber.get(event.call ?? 0) ??
          this.#calls.findLast((one) => one.name === event.name && one.output === undefined);
        if (call === undefined) return;
        call.output = event.output;
        return;
      }
      case "reasoning":
        return;
      default:
        event satisfies never;
    }
  };

  /** Marks a call by its id, `<runId>.<n>`. */
  markDiffering(id: string | undefined): void {
    if (id !== undefined) this.#differing.push(Number(id.slice(id.lastIndexOf(".") + 1)));
  }

  end({ finishReason, error }: TrialOutcome): TrialResult {
    for (const n of this.#differing) {
      const call = this.#byNumber.get(n);
      if (call !== undefined) call.differs = true;
    }
    const { inputTokens = 0, outputTokens = 0, steps = 0 } = this.usage?.totals ?? {};
    const cost = this.usage?.costMicroUsd ?? 0;
    const { coverage } = this.searches;
    return {
      agentVersion: this.#version,
      text: this.#texts.join(""),
      calls: this.#calls,
      shares: this.usage?.shares ?? [],
      ...{ cost, inputTokens, outputTokens, steps, finishReason },
      latencyMs: this.#elapsedMs,
      ...this.#firstTextMs !== undefined && { firstTextMs: this.#firstTextMs },
      ...coverage !== undefined && { coverage },
      ...error !== undefined && { error },
    };
  }

  get #elapsedMs(): number {
    return Math.round(this.#now() - this.#startedAt);
  }
}
