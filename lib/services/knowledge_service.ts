import { ApiError, parseOrThrow, validationError } from "../schemas/api_error.ts";
import type { DocumentProcessor } from "../knowledge/ingest/document_processor.ts";
import type { FoundPassage, KnowledgeSearch } from "../knowledge/search/knowledge_search.ts";
import type { Upload } from "../knowledge/ingest/worker/job_messages.ts";
import type { DocumentChangeResult, DocumentStore } from "../store/knowledge/document_store.ts";
import { toKnowledgeBase } from "../store/knowledge/knowledge_base_record.ts";
import type { KnowledgeBaseStore } from "../store/knowledge/knowledge_base_store.ts";
import type { Page, PageRequest } from "../store/values/page.ts";
import type { CommitStep } from "../store/values/record.ts";
import {
  type Document,
  type KnowledgeBase,
  knowledgeBaseBodySchema,
  knowledgeBasePatchSchema,
  type Passage,
  searchBodySchema,
} from "../schemas/knowledge.ts";
import { KNOWLEDGE_BOUNDS } from "../schemas/limits.ts";
import type { CursorSigner } from "./cursor_signer.ts";

/** More than a model is given, so that one sees what just missed. */
const EXPLAINED_PASSAGES = 10;

interface KnowledgeServiceDeps {
  bases: KnowledgeBaseStore;
  documents: DocumentStore;
  processor: Pick<DocumentProcessor, "wake">;
  search: Pick<KnowledgeSearch, "search">;
  cursors: CursorSigner;
}

/**
 * Knowledge bases and their documents as their owners handle them, from /v1 and from the dashboard
 * alike. Throws `ApiError`: 404 for what the tenant does not have.
 */
export class KnowledgeService {
  #parts: KnowledgeServiceDeps;

  constructor(parts: KnowledgeServiceDeps) {
    this.#parts = parts;
  }

  /**
   * `body` is what the caller sent, unparsed; `commit` may add to the step that stores the base. Throws
   * 403 when the plan has no room for another one.
   */
  async create(
    tenant: string,
    body: unknown,
    options: { commit?: CommitStep<KnowledgeBase> | undefined } = {},
  ): Promise<KnowledgeBase> {
    const { bases } = this.#parts;
    const parsed = parseOrThrow(knowledgeBaseBodySchema, body);
    return await bases.create(tenant, parsed, options);
  }

  /** `undefined` where `get` is 404. */
  async find(tenant: string, id: string): Promise<KnowledgeBase | undefined> {
    const record = await this.#parts.bases.get(tenant, id);
    return record && toKnowledgeBase(record);
  }

  async get(tenant: string, id: string): Promise<KnowledgeBase> {
    return await this.find(tenant, id) ?? noBase();
  }

  /** Newest first; 400 for a cursor that this list did not give out. */
  list(tenant: string, page: PageRequest): Promise<Page<KnowledgeBase>> {
    const load = (opened: PageRequest) => this.#parts.bases.list(tenant, opened);
    return this.#parts.cursors.page(page, { list: `knowledge_bases ${tenant}`, load });
  }

  async patch(tenant: string, id: string, patch: unknown): Promise<KnowledgeBase> {
    const change = parseOrThrow(knowledgeBasePatchSchema, patch);
    const changed = await this.#parts.bases.update(tenant, id, change);
    return changed === "not_found" ? noBase() : changed;
  }

  /** Deletes the base with all its documents; agents that name it find nothing any more. */
  async delete(tenant: string, id: string): Promise<void> {
    if (!await this.#parts.bases.delete(tenant, id)) noBase();
  }

  /** Stores a document and has it read; 400 when its base has no room for it, 403 when the plan has. */
  async addDocument(
    base: { tenant: string; base: string },
    upload: Upload,
    options: { commit?: CommitStep<Document> | undefined } = {},
  ): Promise<Document> {
    const document = unwrapChange(await this.#parts.documents.create(base, upload, options));
    this.#parts.processor.wake();
    return document;
  }

  /** Puts another content in a document's place and has it read; 400 as for a new one. */
  async replaceDocument(
    of: { tenant: string; base: string; id: string },
    upload: Upload,
  ): Promise<Document> {
    const document = unwrapChange(await this.#parts.documents.replace(of, upload), noDocument);
    this.#parts.processor.wake();
    return document;
  }

  async getDocument(of: { tenant: string; base: string; id: string }): Promise<Document> {
    return await this.#parts.documents.get(of) ?? noDocument();
  }

  /** Newest first; 400 for a cursor that this list did not give out. */
  async listDocuments(
    base: { tenant: string; base: string },
    page: PageRequest,
  ): Promise<Page<Document>> {
    await this.get(base.tenant, base.base);
    return await this.#parts.cursors.page(page, {
      list: `documents ${base.tenant} ${base.base}`,
      load: (opened) => this.#parts.documents.list(base, opened),
    });
  }

  async deleteDocument(of: { tenant: string; base: string; id: string }): Promise<void> {
    if (!await this.#parts.documents.delete(of)) noDocument();
  }

  /** The passages that fit a query, best first; 5 unless `limit` says otherwise. */
  async search(
    base: { tenant: string; base: string },
    { query, limit = KNOWLEDGE_BOUNDS.defaultPassages }: {
      query: string;
      limit?: number | undefined;
    },
  ): Promise<Passage[]> {
    return await this.#parts.search.search(base, { query, limit }) ?? noBase();
  }

  /** The same with where in each passage words of the query stand. */
  async explainSearch(
    base: { tenant: string; base: string },
    asked: unknown,
  ): Promise<FoundPassage[]> {
    const { query, limit = EXPLAINED_PASSAGES } = parseOrThrow(searchBodySchema, asked);
    return await this.#parts.search.search(base, { query, limit, explain: true }) ?? noBase();
  }

  /** Reads a document again, from what was sent; what can be found of it stays until it is ready. */
  async reprocessDocument(of: { tenant: string; base: string; id: string }): Promise<Document> {
    const document = unwrapChange(await this.#parts.documents.reprocess(of), noDocument);
    this.#parts.processor.wake();
    return document;
  }
}

function unwrapChange(change: DocumentChangeResult, notFound: () => never = noBase): Document {
  if ("document" in change) return change.document;
  if (change.refused === "not_found") return notFound();
  if (change.refused === "busy") {
    throw new ApiError("version_conflict", "somebody else is changing this document; try again");
  }
  throw full(`the knowledge base ${change.reason}`);
}

function full(message: string): ApiError {
  return validationError([{ path: "", code: "too_many", message }]);
}

function noBase(): never {
  throw new ApiError("not_found", "there is no such knowledge base");
}

function noDocument(): never {
  throw new ApiError("not_found", "there is no such document");
}
