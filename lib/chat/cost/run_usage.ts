import type { Truncation } from "../../agent/fit_step.ts";
import type { StepLimit } from "../../agent/last_step.ts";
import type { ModelName } from "../../billing/model_access.ts";
import { cacheSavingsMicroUsd, costMicroUsd, type Price } from "../../schemas/token_cost.ts";
import type { ModelUsage } from "../../providers/model.ts";
import type { ModelShare } from "../../store/runs/run_record.ts";
import { addTokenParts, sumTokenParts, type TokenParts } from "../../store/runs/token_parts.ts";

/** Counts what one run uses, each step at the price of the model that answers it. */
export class RunUsage {
  toolCalls = 0;
  /** Why the model was asked to finish, if it was. */
  lastStepLimit: StepLimit | undefined;
  readonly #price: (name: ModelName) => Price;
  readonly #shares: ModelShare[] = [];
  #hasChecks = false;
  #truncation: Truncation = { droppedMessages: 0, truncatedResults: 0, omittedTools: [] };

  constructor(price: (name: ModelName) => Price) {
    this.#price = price;
  }

  /** The largest truncation of any step. */
  get truncation(): Truncation {
    return this.#truncation;
  }

  addTruncation({ droppedMessages, truncatedResults, omittedTools }: Truncation): void {
    const before = this.#truncation;
    this.#truncation = {
      droppedMessages: Math.max(before.droppedMessages, droppedMessages),
      truncatedResults: Math.max(before.truncatedResults, truncatedResults),
      omittedTools,
    };
  }

  /** Counts a step that a model has accepted. */
  countStep(name: ModelName): void {
    this.#shareOf(name).steps++;
  }

  /** Adds the tokens of a step or of a failed attempt at one. */
  addTokens(event: ModelName & ModelUsage): void {
    const share = this.#shareOf(event);
    const price = this.#price(event);
    share.inputTokens += event.inputTokens;
    share.outputTokens += event.outputTokens;
    share.cost += costMicroUsd(price, event);
    addTokenParts(share, partsOf(event, price));
  }

  get steps(): number {
    return this.#sum("steps");
  }

  /** Adds the tokens of a classifier, whose model may be the only one that was asked. */
  addCheck(event: ModelName & ModelUsage): void {
    this.#hasChecks = true;
    this.addTokens(event);
  }

  get costMicroUsd(): number {
    return this.#sum("cost");
  }

  /** What each model has used. */
  get shares(): ModelShare[] {
    return this.#shares.map((share) => ({ ...share }));
  }

  /** Totals as recorded; `models` only if there is more than one, or a classifier's. */
  get totals() {
    return {
      steps: this.steps,
      toolCalls: this.toolCalls,
      inputTokens: this.#sum("inputTokens"),
      outputTokens: this.#sum("outputTokens"),
      ...this.#shares.reduce(sumTokenParts, {}),
      ...(this.#shares.length > 1 || this.#hasChecks ? { models: this.shares } : {}),
    };
  }

  #shareOf({ provider, model }: ModelName): ModelShare {
    const known = this.#shares.find((one) => one.provider === provider && one.model === model);
    if (known !== undefined) return known;
    const share = { provider, model, steps: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
    this.#shares.push(share);
    return share;
  }

  #sum(field: "steps" | "inputTokens" | "outputTokens" | "cost"): number {
    return this.#shares.reduce((sum, share) => sum + share[field], 0);
  }
}

/**
 * What a provider said of its cache and of reasoning, and what its cache saved. A part that exceeds its
 * total is a provider's mistake, which must not add up in reports.
 */
function partsOf(usage: ModelUsage, price: Price): TokenParts {
  const { inputTokens, outputTokens, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = usage;
  const { cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    cachedInputTokens: Math.min(cachedInputTokens, inputTokens),
    cacheWriteTokens: Math.min(cacheWriteTokens + cacheWrite1hTokens, inputTokens),
    reasoningTokens: Math.min(reasoningTokens, outputTokens),
    cacheSavings: cacheSavingsMicroUsd(price, usage),
  };
}
