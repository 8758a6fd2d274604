import type { AgentOutcome, Candidate, PlannedStep, StepGrant } from "../agent/agent_run.ts";
import type { CatalogueEntry } from "../store/providers/catalogue_store.ts";
import { affordableOutput, outputLimit, stepCost } from "./step_cost.ts";

/** What a run's money is made of; everything in micro-USD. */
export interface RunBudgetOptions {
  entries: readonly CatalogueEntry[];
  /** Output tokens a step may have by the agent's and the call's wish. */
  maxOutputTokens: number;
  /** The agent's `maxCostUsd`. */
  maxCost: number;
  /** What has been set aside at the start. */
  hold: number;
  /** What the run has cost so far. */
  spent: () => number;
  /** Sets aside more, with what is spent: what was granted, or nothing when the day has no room. */
  raise: (amount: { hold: number; least: number }) => Promise<number | undefined>;
}

/**
 * One run's money: before each step the most it can cost is set aside, and what the step may write is
 * cut to what that pays for. So neither the agent's budget nor the day's limit is passed by a step, and
 * both can be used up to the last token.
 */
export class RunBudget {
  #options: RunBudgetOptions;
  #hold: number;

  constructor(options: RunBudgetOptions) {
    this.#options = options;
    this.#hold = options.hold;
  }

  async authorizeStep({ inputTokens, inputBytes, candidates }: PlannedStep): Promise<StepGrant> {
    const { maxCost, maxOutputTokens } = this.#options;
    const prices = candidates.map((candidate) => this.#priceOf(candidate));
    const step = { inputTokens, inputBytes, outputTokens: maxOutputTokens };
    const shortest = { ...step, outputTokens: 1 };
    const { max } = stepCost(prices, step);
    const spent = this.#options.spent();
    // A fallback that is too dear is not asked; it does not keep the model before it from answering.
    const least = spent + stepCost(prices.slice(0, 1), shortest).min;
    if (least > maxCost) return { ended: OVER_BUDGET };
    const wanted = Math.min(spent + max, maxCost);
    if (wanted > this.#hold) {
      const granted = await this.#options.raise({ hold: wanted, least });
      if (granted === undefined && least > this.#hold) return { ended: OVER_DAY };
      this.#hold = granted ?? this.#hold;
    }
    const hold = Math.min(this.#hold, maxCost) - spent;
    return {
      outputTokens: (candidate) => {
        const entry = this.#priceOf(candidate);
        if (stepCost([entry], shortest).min > hold) return 0;
        // A fallback may be able to write less than the model it stands in for.
        const wanted = outputLimit(entry, step);
        return affordableOutput(entry, { hold, inputTokens, wanted });
      },
    };
  }

  #priceOf({ provider, model }: Candidate): CatalogueEntry {
    const { entries } = this.#options;
    return entries.find((entry) => entry.vendor === provider && entry.model === model)!;
  }
}

const OVER_BUDGET: AgentOutcome = {
  finishReason: "max_cost",
  error: { code: "budget_exceeded", message: "the agent's cost for one answer is used up" },
};

const OVER_DAY: AgentOutcome = {
  finishReason: "error",
  error: { code: "plan_limit_exceeded", message: "the day's cost limit is reached" },
};
