import type { AgentOutcome, PlannedStep, StepGrant } from "../agent/agent_run_options.ts";
import { VERDICT_TOKENS } from "../agent/guardrails/classifier.ts";
import type { CatalogueEntry } from "../store/providers/catalogue_store.ts";
import { findEntry } from "./resolve_candidates.ts";
import { affordableOutput, outputLimit, stepCost } from "./step_cost.ts";

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
}

/**
 * One run's budget. Before each step the most it can cost is reserved, and the step's output is limited
 * to what that pays for. No step can exceed the agent's budget or the daily limit, and both can be used
 * up to the last token.
 */
export class RunBudget {
  readonly #options: RunBudgetOptions;
  #hold: number;
  /** The most that the run has cost once everything that is running has ended. */
  #committed = 0;

  constructor(options: RunBudgetOptions) {
    this.#options = options;
    this.#hold = options.hold;
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
    if (least > maxCost) return { ended: OVER_BUDGET };
    const wanted = Math.min(spent + max, maxCost);
    if (wanted > this.#hold) {
      const granted = await this.#options.raise({ hold: wanted, least });
      if (granted === undefined && least > this.#hold) return { ended: OVER_DAY };
      this.#hold = granted ?? this.#hold;
    }
    const hold = Math.min(this.#hold, maxCost) - spent;
    this.#committed = spent + Math.min(max, hold);
    return {
      outputTokens: (candidate) => {
        const entry = findEntry(entries, candidate)!;
        if (stepCost([entry], shortest).min > hold) return 0;
        // A fallback may have a smaller output limit than the first model.
        const wanted = outputLimit(entry, step);
        return affordableOutput(entry, { hold, inputTokens, wanted });
      },
    };
  }

  /** Reserves a classifier's check, beside a step that may be running. Checks follow one another. */
  async authorizeCheck({ inputTokens, inputBytes, candidates }: PlannedStep): Promise<StepGrant> {
    const { entries, maxCost, raise, spent } = this.#options;
    const entry = findEntry(entries, candidates[0]!)!;
    const step = { inputTokens, inputBytes, outputTokens: VERDICT_TOKENS };
    const wanted = Math.max(this.#committed, spent()) + stepCost([entry], step).max;
    if (wanted > maxCost) return { ended: OVER_BUDGET };
    if (wanted > this.#hold) {
      const granted = await raise({ hold: wanted, least: wanted });
      if (granted === undefined) return { ended: OVER_DAY };
      this.#hold = granted;
    }
    this.#committed = wanted;
    return { outputTokens: () => outputLimit(entry, step) };
  }

  #maxCostOfSteps(spent: number): number {
    const { maxCost, hasOutputChecks } = this.#options;
    return hasOutputChecks ? Math.floor(maxCost - (maxCost - spent) * SHARE_OF_CHECKS) : maxCost;
  }
}

/** Of what is left of the agent's budget. */
const SHARE_OF_CHECKS = 1 / 5;

const OVER_BUDGET: AgentOutcome = {
  finishReason: "max_cost",
  error: { code: "budget_exceeded", message: "the agent's cost for one answer is used up" },
};

const OVER_DAY: AgentOutcome = {
  finishReason: "error",
  error: { code: "plan_limit_exceeded", message: "the day's cost limit is reached" },
};
