import { withOverrides } from "../../billing/limits.ts";
import { NonRunCharges } from "../../billing/non_run_charges.ts";
import { EmbeddingIndexer } from "../../knowledge/search/embedding_indexer.ts";
import { KnowledgeSearch } from "../../knowledge/search/knowledge_search.ts";
import { MeteredEmbedder } from "../../knowledge/search/metered_embedder.ts";
import { KvPassageSource } from "../../knowledge/search/passage_source.ts";
import { SemanticSearch } from "../../knowledge/search/semantic_search.ts";
import { VectorStore } from "../../knowledge/search/vector_store.ts";
import type { Embedder } from "../../providers/embeddings/embedder.ts";
import type { CatalogueStore } from "../../store/providers/catalogue_store.ts";
import type { CoreDeps } from "./core_deps.ts";

interface KnowledgeSearchDeps
  extends Pick<CoreDeps, "kv" | "runtime" | "log" | "committer" | "tenants" | "limits"> {
  shards?: CoreDeps["shards"];
  catalogue: CatalogueStore;
  /** The operator's embedding model; without it, search is full-text only. */
  embedder: Embedder | undefined;
  /** Memory limit of the indexes; by default that of `KnowledgeIndexCache`. */
  indexBytes?: number | undefined;
}

export function openKnowledgeSearch(deps: KnowledgeSearchDeps): KnowledgeSearch {
  const { kv, indexBytes, embedder } = deps;
  return new KnowledgeSearch(new KvPassageSource(kv), {
    semantic: embedder && openSemanticSearch(deps, embedder),
    ...indexBytes !== undefined && { maxBytes: indexBytes },
  });
}

function openSemanticSearch(
  { kv, runtime, log, committer, shards, catalogue, tenants, limits }: KnowledgeSearchDeps,
  model: Embedder,
): SemanticSearch {
  const costs = new NonRunCharges(committer, {
    runtime,
    ...(shards && { shards }),
    limitsOf: async (tenant) => withOverrides(limits, (await tenants.plan(tenant)).limits),
  });
  const embedder = new MeteredEmbedder({ embedder: model, catalogue, costs });
  const vectors = new VectorStore(kv, runtime);
  const indexer = new EmbeddingIndexer({ embedder, vectors, runtime, log });
  return new SemanticSearch({ embedder, vectors, indexer, runtime, log });
}
