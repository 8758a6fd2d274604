import type { AgentOutcome, PlannedStep, StepGrant } from "../../agent/agent_run_options.ts";
import { limitOutcome, type StepLimit } from "../../agent/last_step.ts";
import { VERDICT_TOKENS } from "../../agent/guardrails/classifier.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import { findEntry } from "../input/resolve_candidates.ts";
import { affordableInputTokens, affordableOutput, outputLimit, stepCost } from "./step_cost.ts";
import { ANSWER_TOKENS, StepForecast } from "./step_forecast.ts";

/** What the answer of an asked agent may add to a prompt and still be paid for. */
const ASKED_BYTES = 4_096;

/** Amounts in micro-USD. */
export interface RunBudgetOptions {
  entries: readonly CatalogueEntry[];
  /** Output tokens per step, as the agent or the request limits them. */
  maxOutputTokens: number;
  /** The agent's `maxCostUsd`. */
  maxCost: number;
  /** The amount reserved at admission. */
  hold: number;
  /** What a step writes is checked by a classifier, so steps must leave something for the checks. */
  hasOutputChecks?: boolean;
  /** The run's cost so far. */
  spent: () => number;
  /** Raises the reservation, spent amount included. Returns what was granted, if anything. */
  raise: (amount: { hold: number; least: number }) => Promise<number | undefined>;
  /** Milliseconds since the epoch, and its end for this run. */
  now?: () => number;
  deadline?: number;
  /** How long the run has waited for people, which says nothing about how long its steps take. */
  waitedMs?: () => number;
}

/** Amounts in micro-USD. */
interface RunReservation {
  hold: number;
  /** The most that the run has cost once everything that is running has ended. */
  committed: number;
}

/**
 * One run's budget. Before each step the most it can cost is reserved, and the step's output is limited
 * to what that pays for. No step can exceed the agent's budget or the daily limit, and both can be used
 * up to the last token. A grant says when what is left will not pay for another step.
 */
export class RunBudget {
  readonly #options: RunBudgetOptions;
  /** Of the run, also for the agents that it asks. */
  readonly #reserved: RunReservation;
  readonly #forecast = new StepForecast();
  /** What a short answer will cost after the current step's tool calls. */
  #answerCost = 0;

  constructor(
    options: RunBudgetOptions,
    reserved: RunReservation = { hold: options.hold, committed: 0 },
  ) {
    this.#options = options;
    this.#reserved = reserved;
  }

  /**
   * The budget of an agent that this one asks: at most its own `maxCost`, and what this one has left beside
   * a short answer. Both reserve for the one run, so they take turns.
   */
  nested(
    { maxCost, ...options }: Pick<
      RunBudgetOptions,
      "entries" | "maxOutputTokens" | "maxCost" | "deadline"
    >,
  ): RunBudget {
    const own = this.#options;
    const spent = own.spent();
    const ceiling = Math.min(this.#maxCostOfSteps(spent) - this.#answerCost, spent + maxCost);
    // Its answer is a tool's output: no classifier checks it.
    const unchecked = { hasOutputChecks: false, maxCost: ceiling };
    return new RunBudget({ ...own, ...options, ...unchecked }, this.#reserved);
  }

  /** How long an asked agent may take, so that this one can still answer, milliseconds. */
  get askingMs(): number {
    const { now = () => 0, deadline = Infinity } = this.#options;
    return deadline - now() - this.#forecast.answerMs(this.#workNow);
  }

  /** A clock that stops while the run waits for people. */
  get #workNow(): number {
    const { now = () => 0, waitedMs = () => 0 } = this.#options;
    return now() - waitedMs();
  }

  async authorizeStep({ inputTokens, inputBytes, candidates }: PlannedStep): Promise<StepGrant> {
    const { entries, maxOutputTokens } = this.#options;
    const models = candidates.map((candidate) => findEntry(entries, candidate)!);
    const step = { inputTokens, inputBytes, outputTokens: maxOutputTokens };
    const shortest = { ...step, outputTokens: 1 };
    const { max } = stepCost(models, step);
    const spent = this.#options.spent();
    const maxCost = this.#maxCostOfSteps(spent);
    // A fallback that is too expensive is skipped; it does not prevent the first model's answer.
    const least = spent + stepCost(models.slice(0, 1), shortest).min;
    if (least > maxCost) {
      const affordableInput = affordableInputTokens(models[0]!, {
        hold: maxCost - spent,
        outputTokens: Math.min(ANSWER_TOKENS, maxOutputTokens),
      });
      return { ended: limitOutcome("max_cost"), affordableInput };
    }
    const wanted = Math.min(spent + max, maxCost);
    const reserved = this.#reserved;
    if (wanted > reserved.hold) {
      const granted = await this.#options.raise({ hold: wanted, least });
      if (granted === undefined && least > reserved.hold) return { ended: OVER_DAY };
      reserved.hold = granted ?? reserved.hold;
    }
    const hold = Math.min(reserved.hold, maxCost) - spent;
    reserved.committed = spent + Math.min(max, hold);
    // Less than wanted was granted, because the day's limit is reached.
    const left = reserved.hold < wanted ? hold : maxCost - spent;
    return {
      limit: this.#limit({ inputTokens, inputBytes }, { spent, left, entry: models[0]! }),
      outputTokens: (candidate) => {
        const entry = findEntry(entries, candidate)!;
        if (stepCost([entry], shortest).min > hold) return 0;
        // A fallback may have a smaller output limit than the first model.
        const wanted = outputLimit(entry, step);
        return affordableOutput(entry, { hold, inputTokens, wanted });
      },
    };
  }

  /** Reserves a classifier's check or the ordering of passages, beside a step that may be running. Checks follow one another. */
  async authorizeCheck({ inputTokens, inputBytes, candidates }: PlannedStep): Promise<StepGrant> {
    const { entries, maxCost, raise, spent } = this.#options;
    const entry = findEntry(entries, candidates[0]!)!;
    const step = { inputTokens, inputBytes, outputTokens: VERDICT_TOKENS };
    const reserved = this.#reserved;
    const wanted = Math.max(reserved.committed, spent()) + stepCost([entry], step).max;
    if (wanted > maxCost) return { ended: limitOutcome("max_cost") };
    if (wanted > reserved.hold) {
      const granted = await raise({ hold: wanted, least: wanted });
      if (granted === undefined) return { ended: OVER_DAY };
      reserved.hold = granted;
    }
    reserved.committed = wanted;
    return { outputTokens: () => outputLimit(entry, step) };
  }

  #maxCostOfSteps(spent: number): number {
    const { maxCost, hasOutputChecks } = this.#options;
    return hasOutputChecks ? Math.floor(maxCost - (maxCost - spent) * SHARE_OF_CHECKS) : maxCost;
  }

  /** What will not last for another step after this one, as far as this run's steps tell. */
  #limit(
    { inputTokens, inputBytes }: Pick<PlannedStep, "inputTokens" | "inputBytes">,
    { spent, left, entry }: { spent: number; left: number; entry: CatalogueEntry },
  ): StepLimit | undefined {
    const { now = () => 0, deadline, maxOutputTokens } = this.#options;
    const size = { inputBytes, outputTokens: Math.min(ANSWER_TOKENS, maxOutputTokens) };
    const answerCost = (bound: number) => stepCost([entry], { ...size, inputTokens: bound }).max;
    this.#answerCost = answerCost(inputTokens + ASKED_BYTES);
    return this.#forecast.check({ spent, inputTokens, now: this.#workNow }, {
      cost: left,
      ms: deadline === undefined ? undefined : deadline - now(),
      answerCost,
    });
  }
}

/** Of what is left of the agent's budget. */
const SHARE_OF_CHECKS = 1 / 5;

const OVER_DAY: AgentOutcome = {
  finishReason: "error",
  error: { code: "plan_limit_exceeded", message: "the day's cost limit is reached" },
};
