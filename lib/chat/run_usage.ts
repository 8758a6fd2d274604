import type { Truncation } from "../agent/fit_step.ts";
import type { ModelShare } from "../store/runs/run_record.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import { costMicroUsd, type Price } from "../billing/money.ts";

interface ModelName {
  provider: ProviderId;
  model: string;
}

/** What one run has done and used so far, each step at the price of the model that answered it. */
export class RunUsage {
  toolCalls = 0;
  readonly #price: (name: ModelName) => Price;
  readonly #shares: ModelShare[] = [];
  #left: Truncation = { droppedMessages: 0, truncatedResults: 0, omittedTools: [] };

  constructor(price: (name: ModelName) => Price) {
    this.#price = price;
  }

  /** The most that any step had to do without. */
  get truncation(): Truncation {
    return this.#left;
  }

  addTruncation({ droppedMessages, truncatedResults, omittedTools }: Truncation): void {
    const before = this.#left;
    this.#left = {
      droppedMessages: Math.max(before.droppedMessages, droppedMessages),
      truncatedResults: Math.max(before.truncatedResults, truncatedResults),
      omittedTools,
    };
  }

  /** A model has accepted a step. */
  countStep(name: ModelName): void {
    this.#shareOf(name).steps++;
  }

  /** What a step, or an attempt at one, used. */
  addTokens(event: ModelName & { inputTokens: number; outputTokens: number }): void {
    const share = this.#shareOf(event);
    share.inputTokens += event.inputTokens;
    share.outputTokens += event.outputTokens;
    share.cost += costMicroUsd(this.#price(event), event);
  }

  get costMicroUsd(): number {
    return this.#sum("cost");
  }

  /** As it is recorded; `models` only where more than one had a share. */
  get totals() {
    return {
      steps: this.#sum("steps"),
      toolCalls: this.toolCalls,
      inputTokens: this.#sum("inputTokens"),
      outputTokens: this.#sum("outputTokens"),
      ...(this.#shares.length > 1 ? { models: this.#shares.map((share) => ({ ...share })) } : {}),
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
