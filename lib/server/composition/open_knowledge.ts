import type { CursorSigner } from "../../services/cursor_signer.ts";
import { KnowledgeService } from "../../services/knowledge_service.ts";
import { DocumentProcessor } from "../../knowledge/ingest/document_processor.ts";
import { WorkerPool } from "../../knowledge/ingest/worker/worker_pool.ts";
import type { WorkerCommand } from "../../knowledge/ingest/worker/worker_process.ts";
import { openKnowledgeSearch } from "./open_knowledge_search.ts";
import { DocumentStore } from "../../store/knowledge/document_store.ts";
import { DocumentTaskQueue } from "../../store/knowledge/document_task_queue.ts";
import { KnowledgeBaseStore } from "../../store/knowledge/knowledge_base_store.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { ProviderServices } from "./open_providers.ts";

/** Storage, processing and search of knowledge bases. */
export function openKnowledge(
  { kv, committer, shards, runtime, log, limits, tenants }: CoreDeps,
  { providers, cursors, worker, indexBytes }: {
    providers: ProviderServices;
    cursors: CursorSigner;
    worker: WorkerCommand | undefined;
    indexBytes: number | undefined;
  },
) {
  const { catalogue, registry } = providers;
  const bases = new KnowledgeBaseStore(kv, runtime);
  const knowledgeSearch = openKnowledgeSearch({
    ...{ kv, runtime, log, committer, shards, catalogue, tenants, limits },
    embedder: registry.embedder,
    indexBytes,
  });
  const workers = new WorkerPool({ command: worker, log });
  const documents = new DocumentProcessor({
    ...{ workers, bases, runtime, log },
    tasks: new DocumentTaskQueue(kv, runtime),
    onReady: (of) => knowledgeSearch.prepare(of),
  });
  const knowledge = new KnowledgeService({
    ...{ bases, cursors, processor: documents, search: knowledgeSearch },
    documents: new DocumentStore(kv, runtime),
  });
  return { knowledge, documents, knowledgeSearch, workers };
}
