import { costMicroUsd } from "../../schemas/token_cost.ts";
import type { NonRunCharges } from "../../billing/non_run_charges.ts";
import { utf8Length } from "../../platform/utf8.ts";
import type { Embedder, EmbedOptions } from "../../providers/embeddings/embedder.ts";
import type { CatalogueStore } from "../../store/providers/catalogue_store.ts";
import { NO_AGENT } from "../../store/runs/usage_rows.ts";

/** If the provider reports no usage. A low estimate of bytes charges rather too much. */
const BYTES_PER_TOKEN = 2;

/** What the usage of an embedding counts towards. */
export interface EmbeddingCaller {
  agentId: string;
  source: { kind: "key" | "session" | "user"; id: string };
}

/** Embeddings are not available now; the message is for the operator's log. */
class EmbeddingRejectedError extends Error {
  override name = "EmbeddingRejectedError";
}

interface MeteredEmbedderDeps {
  embedder: Pick<Embedder, "embed" | "provider" | "model">;
  catalogue: Pick<CatalogueStore, "get">;
  costs: Pick<NonRunCharges, "reserve" | "settle">;
}

const NO_CALLER: EmbeddingCaller = { agentId: NO_AGENT, source: { kind: "key", id: "knowledge" } };

/** Charges embeddings to the tenant of the texts. */
export class MeteredEmbedder {
  readonly #deps: MeteredEmbedderDeps;

  constructor(deps: MeteredEmbedderDeps) {
    this.#deps = deps;
  }

  /** Vectors are comparable only within one model. */
  get model(): string {
    const { provider, model } = this.#deps.embedder;
    return `${provider}/${model}`;
  }

  /**
   * Embeds at most 64 texts. Throws `EmbeddingRejectedError` for a model without a price and if the
   * tenant's day cannot cover the highest possible cost, a `ModelError`, or the signal's reason.
   */
  async embed(texts: readonly string[], { tenant, caller = NO_CALLER, ...options }: EmbedOptions & {
    tenant: string;
    caller?: EmbeddingCaller | undefined;
  }): Promise<number[][]> {
    const { embedder, catalogue, costs } = this.#deps;
    const { provider, model } = embedder;
    const price = await catalogue.get(provider, model);
    if (price === undefined) {
      throw new EmbeddingRejectedError("the model has no price in the catalogue");
    }
    const costOf = (inputTokens: number) => costMicroUsd(price, { inputTokens, outputTokens: 0 });
    // A token has at least one byte.
    const bytes = texts.reduce((sum, text) => sum + utf8Length(text), 0);
    const hold = await costs.reserve(tenant, costOf(bytes));
    if (hold === undefined) {
      throw new EmbeddingRejectedError("the tenant's day has no money left for it");
    }
    let inputTokens = 0;
    try {
      const result = await embedder.embed(texts, options);
      inputTokens = Math.min(result.inputTokens ?? Math.ceil(bytes / BYTES_PER_TOKEN), bytes);
      return result.vectors;
    } finally {
      const cost = costOf(inputTokens);
      await costs.settle(hold, { ...caller, provider, model, inputTokens, cost });
    }
  }
}
