import type { Committer } from "../../store/tx/committer.ts";
import type { LedgerShards } from "../../billing/ledger_shards.ts";
import { type Limits, withOverrides } from "../../billing/limits.ts";
import { SideCosts } from "../../billing/side_costs.ts";
import type { Logger } from "../../platform/log.ts";
import type { Embedder } from "../../providers/embeddings/embedder.ts";
import type { CatalogueStore } from "../../store/providers/catalogue_store.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { KnowledgeSearch } from "./knowledge_search.ts";
import { PricedEmbedder } from "./priced_embedder.ts";
import { SemanticSearch } from "./semantic_search.ts";
import { StoredChunks } from "./stored_chunks.ts";
import { StoredVectors } from "./stored_vectors.ts";
import { VectorMaker } from "./vector_maker.ts";

interface Parts {
  kv: Deno.Kv;
  runtime: Runtime;
  log: Logger;
  committer: Committer;
  shards?: LedgerShards;
  catalogue: CatalogueStore;
  tenants: TenantStore;
  limits: Limits;
  /** The operator's embedding model, where there is one. */
  embedder: Embedder | undefined;
  /** What indexes may hold in memory, bytes; by default what `BaseIndexes` takes. */
  indexBytes?: number | undefined;
}

/** Search in the knowledge bases of a store. */
export function openKnowledgeSearch(
  { kv, embedder, indexBytes, ...parts }: Parts,
): KnowledgeSearch {
  const semantic = embedder && openSemanticSearch({ kv, embedder, ...parts });
  return new KnowledgeSearch(new StoredChunks(kv), {
    semantic,
    ...indexBytes !== undefined && { mostBytes: indexBytes },
  });
}

function openSemanticSearch(
  { kv, runtime, log, committer, shards, catalogue, tenants, limits, embedder }: Parts & {
    embedder: Embedder;
  },
): SemanticSearch {
  const costs = new SideCosts(committer, {
    runtime,
    ...(shards && { shards }),
    limitsOf: async (tenant) => withOverrides(limits, (await tenants.plan(tenant)).limits),
  });
  const priced = new PricedEmbedder({ embedder, catalogue, costs });
  const vectors = new StoredVectors(kv, runtime);
  const maker = new VectorMaker({ embedder: priced, vectors, runtime, log });
  return new SemanticSearch({ embedder: priced, vectors, maker, runtime, log });
}
