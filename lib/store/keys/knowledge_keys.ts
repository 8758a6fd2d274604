/** Identifies one document. */
export interface DocumentName {
  tenant: string;
  /** The id of its knowledge base. */
  base: string;
  id: string;
}

/** Identifies one website source, like a document. */
export type WebSourceName = DocumentName;

/** Keys of knowledge bases: a part of `keys`, under the same rules. */
export const KNOWLEDGE_KEYS = {
  /** A knowledge base: its name, its counts, and the `version` that every change of it raises. */
  knowledgeBase: (tenant: string, id: string) => ["knowledge_bases", tenant, id],
  knowledgeBases: (tenant: string) => ["knowledge_bases", tenant],
  /** Value: the base's id. */
  knowledgeBaseByCreated: (
    tenant: string,
    at: number,
    id: string,
  ) => ["knowledge_bases_by_created", tenant, at, id],
  knowledgeBasesByCreated: (tenant: string) => ["knowledge_bases_by_created", tenant],
  /** A deleted base whose documents are still being deleted. */
  knowledgeBasePendingDeletion: (
    tenant: string,
    id: string,
  ) => ["knowledge_bases_going", tenant, id],
  knowledgeBasesPendingDeletion: () => ["knowledge_bases_going"],
  /** A document without its content. */
  document: (of: DocumentName) => ["documents", ...partsOf(of)],
  documents: (tenant: string, base: string) => ["documents", tenant, base],
  /** Value: the document's id. */
  documentByCreated: (
    of: DocumentName,
    at: number,
  ) => ["documents_by_created", of.tenant, of.base, at, of.id],
  documentsByCreated: (tenant: string, base: string) => ["documents_by_created", tenant, base],
  /** Chunk `n` of an uploaded file, under the id of that upload. */
  documentSourceChunk: (
    of: DocumentName,
    source: string,
    n: number,
  ) => ["document_sources", ...partsOf(of), source, n],
  documentSourceChunks: (of: DocumentName) => ["document_sources", ...partsOf(of)],
  knowledgeBaseSourceChunks: (tenant: string, base: string) => ["document_sources", tenant, base],
  /** Chunk `n` of its passages, JSON, under the id of their revision. */
  documentPassageChunk: (
    of: DocumentName,
    revision: string,
    n: number,
  ) => ["document_chunks", ...partsOf(of), revision, n],
  documentPassageChunks: (of: DocumentName) => ["document_chunks", ...partsOf(of)],
  knowledgeBasePassageChunks: (tenant: string, base: string) => ["document_chunks", tenant, base],
  /** Chunk `n` of the vectors of a revision's passages, as made by `model`. */
  documentVectorChunk: (
    of: DocumentName,
    revision: string,
    model: string,
    n: number,
  ) => ["document_chunks", ...partsOf(of), revision, "vectors", model, n],
  documentVectorChunks: (
    of: DocumentName,
    revision: string,
    model: string,
  ) => ["document_chunks", ...partsOf(of), revision, "vectors", model],
  /** Until when a process has claimed the work of making them. */
  documentVectorClaim: (
    of: DocumentName,
    revision: string,
    model: string,
  ) => ["document_chunks", ...partsOf(of), revision, "claims", model],
  /** The revision of a document that search uses: indexes sync to it. */
  indexedDocument: (of: DocumentName) => ["indexed_documents", ...partsOf(of)],
  indexedDocuments: (tenant: string, base: string) => ["indexed_documents", tenant, base],
  /** A document that is being stored, processed or deleted, and until when it is claimed. */
  documentTask: (of: DocumentName) => ["document_tasks", ...partsOf(of)],
  documentTasks: () => ["document_tasks"],
  /** A website whose pages are documents of the base. */
  webSource: (of: WebSourceName) => ["web_sources", ...partsOf(of)],
  webSources: (tenant: string, base: string) => ["web_sources", tenant, base],
  /** A page of a source, under the SHA-256 of its URL, which may be longer than a key. */
  webPage: (of: WebSourceName, hash: string) => ["web_pages", ...partsOf(of), hash],
  webPages: (of: WebSourceName) => ["web_pages", ...partsOf(of)],
  knowledgeBaseWebPages: (tenant: string, base: string) => ["web_pages", tenant, base],
  /** When a source is crawled next, and until when a process has claimed its crawl. */
  webSourceTask: (of: WebSourceName) => ["web_source_tasks", ...partsOf(of)],
  webSourceTasks: () => ["web_source_tasks"],
  knowledgeBaseWebSourceTasks: (tenant: string, base: string) => ["web_source_tasks", tenant, base],
  knowledgeBaseDocumentTasks: (tenant: string, base: string) => ["document_tasks", tenant, base],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;

function partsOf({ tenant, base, id }: DocumentName): string[] {
  return [tenant, base, id];
}
