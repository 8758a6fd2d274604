import type { Candidate } from "../../agent/agent_run_options.ts";
import type { ModelRegistry } from "../../providers/model_registry.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";

/**
 * A provider is asked to cache prompts only if the price of writing to its cache is known: without it,
 * such a step would cost more than it is charged.
 */
export function toCandidate(
  { vendor: provider, model, cacheWriteUsdPerMTok, timeoutMs }: CatalogueEntry,
  models: Pick<ModelRegistry, "find">,
): Candidate {
  return {
    ...{ provider, model, client: models.find(provider, model) },
    ...cacheWriteUsdPerMTok !== undefined && { cachesPrompt: true as const },
    ...timeoutMs !== undefined && { responseMs: timeoutMs },
  };
}
