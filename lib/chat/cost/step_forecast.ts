import type { StepLimit } from "../../agent/last_step.ts";

/** Output tokens of a short answer. */
export const ANSWER_TOKENS = 256;
/** An answer is longer than a call: it may take as long as this many of the run's rounds. */
const ANSWER_ROUNDS = 2;
const MIN_ANSWER_MS = 1_000;

/** A run's state before a step; cost in micro-USD, time in milliseconds. */
export interface StepState {
  /** The run's cost so far. */
  spent: number;
  /** Upper bound of the step's input tokens. */
  inputTokens: number;
  now: number;
}

/** What is left for this step and all later ones. */
export interface RemainingBudget {
  cost: number;
  /** Absent for a run without a deadline. */
  ms?: number | undefined;
  /** The cost of a short answer after that many input tokens. */
  answerCost: (inputTokens: number) => number;
}

/**
 * Predicts from the steps of one run whether what is left pays for the next step and for an answer after
 * it. A round is a step with its tool calls. Prompts are bounded by their bytes, several times what models
 * count, so a real step is compared with what real steps cost, and only the answer with its bound.
 */
export class StepForecast {
  #last: StepState | undefined;
  #maxCost = 0;
  #maxMs = 0;
  #maxGrowth = 0;
  /** How long the model took before the first agent was asked in the current step. */
  #stepMs: number | undefined;

  /**
   * How long an answer after the current step may take, milliseconds. Call it before each question: the
   * time of earlier ones in the same step says nothing about the answer.
   */
  answerMs(now: number): number {
    this.#stepMs ??= now - (this.#last?.now ?? now);
    return Math.max(MIN_ANSWER_MS, this.#stepMs * ANSWER_ROUNDS);
  }

  /** Call it before each step. Returns what will not last for another step; nothing for the first. */
  check(state: StepState, left: RemainingBudget): StepLimit | undefined {
    const last = this.#last;
    this.#last = state;
    this.#stepMs = undefined;
    if (last === undefined) return undefined;
    this.#maxCost = Math.max(this.#maxCost, state.spent - last.spent);
    this.#maxMs = Math.max(this.#maxMs, state.now - last.now);
    this.#maxGrowth = Math.max(this.#maxGrowth, state.inputTokens - last.inputTokens);
    const nextAnswer = left.answerCost(state.inputTokens + this.#maxGrowth);
    if (left.cost < this.#maxCost + nextAnswer) return "max_cost";
    const nextMs = this.#maxMs * (1 + ANSWER_ROUNDS);
    return left.ms !== undefined && left.ms < nextMs ? "timeout" : undefined;
  }
}
