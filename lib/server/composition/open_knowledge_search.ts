import type { GroupCommitter } from "../../store/tx/group_committer.ts";
import type { LedgerShards } from "../../billing/ledger_shards.ts";
import { type Limits, withOverrides } from "../../billing/limits.ts";
import { NonRunCharges } from "../../billing/non_run_charges.ts";
import type { Logger } from "../../platform/log.ts";
import type { Embedder } from "../../providers/embeddings/embedder.ts";
import type { CatalogueStore } from "../../store/providers/catalogue_store.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { KnowledgeSearch } from "../../knowledge/search/knowledge_search.ts";
import { MeteredEmbedder } from "../../knowledge/search/metered_embedder.ts";
import { SemanticSearch } from "../../knowledge/search/semantic_search.ts";
import { KvPassageSource } from "../../knowledge/search/passage_source.ts";
import { VectorStore } from "../../knowledge/search/vector_store.ts";
import { EmbeddingIndexer } from "../../knowledge/search/embedding_indexer.ts";

interface KnowledgeSearchDeps {
  kv: Deno.Kv;
  runtime: Runtime;
  log: Logger;
  committer: GroupCommitter;
  shards?: LedgerShards;
  catalogue: CatalogueStore;
  tenants: TenantStore;
  limits: Limits;
  /** The operator's embedding model, where there is one. */
  embedder: Embedder | undefined;
  /** What indexes may hold in memory, bytes; by default what `KnowledgeIndexCache` takes. */
  indexBytes?: number | undefined;
}

/** Search in the knowledge bases of a store. */
export function openKnowledgeSearch(
  { kv, embedder, indexBytes, ...parts }: KnowledgeSearchDeps,
): KnowledgeSearch {
  const semantic = embedder && openSemanticSearch({ kv, embedder, ...parts });
  return new KnowledgeSearch(new KvPassageSource(kv), {
    semantic,
    ...indexBytes !== undefined && { maxBytes: indexBytes },
  });
}

function openSemanticSearch(
  { kv, runtime, log, committer, shards, catalogue, tenants, limits, embedder }:
    & KnowledgeSearchDeps
    & {
      embedder: Embedder;
    },
): SemanticSearch {
  const costs = new NonRunCharges(committer, {
    runtime,
    ...(shards && { shards }),
    limitsOf: async (tenant) => withOverrides(limits, (await tenants.plan(tenant)).limits),
  });
  const priced = new MeteredEmbedder({ embedder, catalogue, costs });
  const vectors = new VectorStore(kv, runtime);
  const maker = new EmbeddingIndexer({ embedder: priced, vectors, runtime, log });
  return new SemanticSearch({ embedder: priced, vectors, indexer: maker, runtime, log });
}
