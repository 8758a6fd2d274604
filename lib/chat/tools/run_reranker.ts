import { type Rerank, rerankPassages, rerankQuestion } from "../../agent/tools/rerank_passages.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { ModelRegistry } from "../../providers/model_registry.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import type { RunBudget } from "../cost/run_budget.ts";
import type { RunUsage } from "../cost/run_usage.ts";

interface RunRerankerDeps {
  models: Pick<ModelRegistry, "find">;
  runtime: Pick<Runtime, "sleep">;
}

interface RunCosts {
  budget: Pick<RunBudget, "authorizeCheck">;
  usage: Pick<RunUsage, "addCheck">;
}

/** Orders the passages of one run's searches with the agent's model, at the run's expense. */
export class RunReranker {
  readonly #entry: CatalogueEntry | undefined;
  readonly #deps: RunRerankerDeps;
  #costs: RunCosts | undefined;

  constructor(entry: CatalogueEntry | undefined, deps: RunRerankerDeps) {
    this.#entry = entry;
    this.#deps = deps;
  }

  /** The toolset is created before the run's budget. */
  begin(costs: RunCosts): void {
    this.#costs = costs;
  }

  /** The passages as they are if there is nothing to order, no money for it, or the model fails. */
  readonly rerank: Rerank = async (query, passages, signal) => {
    const [entry, costs] = [this.#entry, this.#costs];
    if (entry === undefined || costs === undefined || passages.length < 2) return passages;
    // The provider would reject it; every token has at least one byte.
    const { inputTokens } = rerankQuestion(query, passages);
    if (inputTokens / 3 > entry.contextTokens) return passages;
    const { vendor: provider, model } = entry;
    return await rerankPassages(query, passages, {
      candidate: { provider, model, client: this.#deps.models.find(provider, model) },
      authorize: (step) => costs.budget.authorizeCheck(step),
      onUsage: (candidate, usage) =>
        costs.usage.addCheck({ ...usage, provider: candidate.provider, model: candidate.model }),
      runtime: this.#deps.runtime,
      signal,
    });
  };
}
