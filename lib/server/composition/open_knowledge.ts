import type { CursorSigner } from "../../services/cursor_signer.ts";
import { KnowledgeService } from "../../services/knowledge_service.ts";
import { WebSources } from "../../services/web_sources.ts";
import type { Egress } from "../../egress/egress.ts";
import { CrawlJobs } from "../../knowledge/crawl/crawl_jobs.ts";
import { DocumentProcessor } from "../../knowledge/ingest/document_processor.ts";
import { WorkerPool } from "../../knowledge/ingest/worker/worker_pool.ts";
import type { WorkerCommand } from "../../knowledge/ingest/worker/worker_process.ts";
import { limitsOfPlan } from "../../billing/limits.ts";
import { NonRunCharges } from "../../billing/non_run_charges.ts";
import { EmbeddingIndexer } from "../../knowledge/search/embedding_indexer.ts";
import { KnowledgeSearch } from "../../knowledge/search/knowledge_search.ts";
import { MeteredEmbedder } from "../../knowledge/search/metered_embedder.ts";
import { KvPassageSource } from "../../knowledge/search/passage_source.ts";
import { SemanticSearch } from "../../knowledge/search/semantic_search.ts";
import { VectorStore } from "../../knowledge/search/vector_store.ts";
import { QuestionMeanings } from "../../services/unanswered/question_meanings.ts";
import type { Embedder } from "../../providers/embeddings/embedder.ts";
import type { CatalogueStore } from "../../store/providers/catalogue_store.ts";
import { DocumentStore } from "../../store/knowledge/document_store.ts";
import { DocumentTaskQueue } from "../../store/knowledge/document_task_queue.ts";
import { WebSourceStore } from "../../store/knowledge/web_source_store.ts";
import { WebSourceTaskQueue } from "../../store/knowledge/web_source_task_queue.ts";
import { KnowledgeBaseStore } from "../../store/knowledge/knowledge_base_store.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { ProviderServices } from "./open_providers.ts";

export function openKnowledge(
  { kv, committer, shards, runtime, log, limits, tenants, charges }: CoreDeps,
  { providers, cursors, egress, worker, indexBytes }: {
    egress: Egress;
    providers: ProviderServices;
    cursors: CursorSigner;
    worker: WorkerCommand | undefined;
    indexBytes: number | undefined;
  },
) {
  const { catalogue, registry } = providers;
  const bases = new KnowledgeBaseStore(kv, runtime);
  const knowledgeSearch = openKnowledgeSearch({
    ...{ kv, runtime, log, committer, shards, charges, catalogue, tenants, limits },
    embedder: registry.embedder,
    indexBytes,
  });
  const workers = new WorkerPool({ command: worker, log });
  const documents = new DocumentProcessor({
    ...{ workers, bases, runtime, log },
    tasks: new DocumentTaskQueue(kv, runtime),
    onReady: (of) => knowledgeSearch.prepare(of),
  });
  const store = new DocumentStore(kv, runtime);
  /** The service on a handle of the store. */
  const openService = (kv: Deno.Kv) =>
    new KnowledgeService({
      ...{ cursors, processor: documents, search: knowledgeSearch },
      bases: new KnowledgeBaseStore(kv, runtime),
      documents: new DocumentStore(kv, runtime),
      passages: new KvPassageSource(kv),
    });
  const knowledge = openService(kv);
  const crawls = new CrawlJobs({
    ...{ documents: store, egress, workers, runtime, log },
    tasks: new WebSourceTaskQueue(kv, runtime),
    onDocument: () => documents.wake(),
  });
  const webSources = new WebSources({
    ...{ bases, documents: store, crawls, cursors },
    sources: new WebSourceStore(kv, runtime),
  });
  const { embedder } = registry;
  const questionMeanings = embedder && new QuestionMeanings({
    embedder: new MeteredEmbedder({ embedder, catalogue, costs: charges }),
    ...{ runtime, log },
  });
  return {
    ...{ knowledge, documents, knowledgeSearch, workers, crawls, webSources, questionMeanings },
    openKnowledgeService: openService,
  };
}

interface KnowledgeSearchDeps
  extends Pick<CoreDeps, "kv" | "runtime" | "log" | "committer" | "tenants" | "limits"> {
  shards?: CoreDeps["shards"];
  charges?: NonRunCharges;
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
  { kv, runtime, log, committer, shards, charges, catalogue, tenants, limits }: KnowledgeSearchDeps,
  model: Embedder,
): SemanticSearch {
  const costs = charges ?? new NonRunCharges(committer, {
    runtime,
    ...(shards && { shards }),
    limitsOf: async (tenant) => limitsOfPlan(limits, await tenants.plan(tenant)),
  });
  const embedder = new MeteredEmbedder({ embedder: model, catalogue, costs });
  const vectors = new VectorStore(kv, runtime);
  const indexer = new EmbeddingIndexer({ embedder, vectors, runtime, log });
  return new SemanticSearch({ embedder, vectors, indexer, runtime, log });
}
