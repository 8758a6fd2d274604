import { costMicroUsd } from "../../billing/money.ts";
import type { NonRunCharges } from "../../billing/non_run_charges.ts";
import type { Embedder, EmbedOptions } from "../../providers/embeddings/embedder.ts";
import type { CatalogueStore } from "../../store/providers/catalogue_store.ts";
import { NO_AGENT } from "../../store/runs/usage_rows.ts";
import { utf8Length } from "../../platform/utf8.ts";

/** Where a vendor does not say what it has read; the estimate errs upward, for it stands in for a bill. */
const BYTES_PER_TOKEN = 2;

/** Whose usage embeddings count to. */
export interface EmbeddingCaller {
  agentId: string;
  source: { kind: "key" | "session" | "user"; id: string };
}

/** Why there can be no embeddings now, for the operator's log. */
export class EmbeddingRejectedError extends Error {
  override name = "EmbeddingsRefused";
}

interface MeteredEmbedderDeps {
  embedder: Pick<Embedder, "embed" | "provider" | "model">;
  catalogue: Pick<CatalogueStore, "get">;
  costs: Pick<NonRunCharges, "reserve" | "settle">;
}

const NO_CALLER: EmbeddingCaller = { agentId: NO_AGENT, source: { kind: "key", id: "knowledge" } };

/** Embeddings that are paid for by the tenant whose texts they are of. */
export class MeteredEmbedder {
  readonly #deps: MeteredEmbedderDeps;

  constructor(parts: MeteredEmbedderDeps) {
    this.#deps = parts;
  }

  /** What tells vectors of one model from those of another. */
  get model(): string {
    const { provider, model } = this.#deps.embedder;
    return `${provider}/${model}`;
  }

  /**
   * One vector a text, at most 64 at a time. Throws `EmbeddingRejectedError` for a model without a price and
   * for a day that has no room for what it can cost, a `ModelError`, or the signal's reason.
   */
  async embed(
    texts: readonly string[],
    { tenant, caller = NO_CALLER, ...options }: EmbedOptions & {
      tenant: string;
      caller?: EmbeddingCaller | undefined;
    },
  ): Promise<number[][]> {
    const { embedder, catalogue, costs } = this.#deps;
    const { provider: vendor, model } = embedder;
    const price = await catalogue.get(vendor, model);
    if (price === undefined) {
      throw new EmbeddingRejectedError("the model has no price in the catalogue");
    }
    const costOf = (inputTokens: number) => costMicroUsd(price, { inputTokens, outputTokens: 0 });
    // No token is shorter than a byte.
    const bytes = texts.reduce((sum, text) => sum + utf8Length(text), 0);
    const hold = await costs.reserve(tenant, costOf(bytes));
    if (hold === undefined) {
      throw new EmbeddingRejectedError("the tenant's day has no money left for it");
    }
    let inputTokens = 0;
    try {
      const answer = await embedder.embed(texts, options);
      const told = answer.inputTokens ?? Math.ceil(bytes / BYTES_PER_TOKEN);
      inputTokens = Math.min(told, bytes);
      return answer.vectors;
    } finally {
      const cost = costOf(inputTokens);
      await costs.settle(hold, { ...caller, provider: vendor, model, inputTokens, cost });
    }
  }
}
