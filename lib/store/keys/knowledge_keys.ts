/** What names one document. */
export interface DocumentName {
  tenant: string;
  /** The knowledge base it is in. */
  base: string;
  id: string;
}

/** The keys of knowledge bases: a part of `keys`, under the same rules. */
export const KNOWLEDGE_KEYS = {
  /** A knowledge base: its name, its counts, and the `version` that every change of it raises. */
  knowledgeBase: (tenant: string, id: string) => ["knowledge_bases", tenant, id],
  knowledgeBases: (tenant: string) => ["knowledge_bases", tenant],
  /** Value: the base's id. */
  knowledgeBaseByCreated: (tenant: string, at: number, id: string) => [
    "knowledge_bases_by_created",
    tenant,
    at,
    id,
  ],
  knowledgeBasesByCreated: (tenant: string) => ["knowledge_bases_by_created", tenant],
  /** A base whose documents are being deleted; the base itself has gone before. */
  knowledgeBasePendingDeletion: (
    tenant: string,
    id: string,
  ) => ["knowledge_bases_going", tenant, id],
  knowledgeBasesPendingDeletion: () => ["knowledge_bases_going"],
  /** A document without its content. */
  document: (of: DocumentName) => ["documents", of.tenant, of.base, of.id],
  documents: (tenant: string, base: string) => ["documents", tenant, base],
  /** Value: the document's id. */
  documentByCreated: (of: DocumentName, at: number) => [
    "documents_by_created",
    of.tenant,
    of.base,
    at,
    of.id,
  ],
  documentsByCreated: (tenant: string, base: string) => ["documents_by_created", tenant, base],
  /** Part `n` of what was sent, under the id of that sending. */
  documentSourceChunk: (of: DocumentName, source: string, n: number) => [
    "document_sources",
    of.tenant,
    of.base,
    of.id,
    source,
    n,
  ],
  documentSourceChunks: (of: DocumentName) => ["document_sources", of.tenant, of.base, of.id],
  knowledgeBaseSourceChunks: (tenant: string, base: string) => ["document_sources", tenant, base],
  /** Part `n` of its passages, JSON, under the id of the reading that made them. */
  documentPassageChunk: (of: DocumentName, revision: string, n: number) => [
    "document_chunks",
    of.tenant,
    of.base,
    of.id,
    revision,
    n,
  ],
  documentPassageChunks: (of: DocumentName) => ["document_chunks", of.tenant, of.base, of.id],
  knowledgeBasePassageChunks: (tenant: string, base: string) => ["document_chunks", tenant, base],
  /** Part `n` of the vectors of a revision's passages, as `model` makes them. */
  documentVectorChunk: (of: DocumentName, revision: string, model: string, n: number) => [
    "document_chunks",
    of.tenant,
    of.base,
    of.id,
    revision,
    "vectors",
    model,
    n,
  ],
  documentVectorChunks: (of: DocumentName, revision: string, model: string) => [
    "document_chunks",
    of.tenant,
    of.base,
    of.id,
    revision,
    "vectors",
    model,
  ],
  /** Until when somebody is making them. */
  documentVectorClaim: (of: DocumentName, revision: string, model: string) => [
    "document_chunks",
    of.tenant,
    of.base,
    of.id,
    revision,
    "claims",
    model,
  ],
  /** Which revision of a document is to be found in its base: what an index is brought up to. */
  indexedDocument: (of: DocumentName) => ["indexed_documents", of.tenant, of.base, of.id],
  indexedDocuments: (tenant: string, base: string) => ["indexed_documents", tenant, base],
  /** A document that is being stored, read or cleared away, and until when by whom. */
  documentTask: (of: DocumentName) => ["document_tasks", of.tenant, of.base, of.id],
  documentTasks: () => ["document_tasks"],
  knowledgeBaseDocumentTasks: (tenant: string, base: string) => ["document_tasks", tenant, base],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
