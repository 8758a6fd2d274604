import { ApiError, parseOrThrow, validationError } from "../schemas/api_error.ts";
import type { DocumentProcessor } from "../knowledge/ingest/document_processor.ts";
import type { FoundPassage, KnowledgeSearch } from "../knowledge/search/knowledge_search.ts";
import type { KvPassageSource, StoredPassage } from "../knowledge/search/passage_source.ts";
import type { Upload } from "../knowledge/ingest/parse_upload.ts";
import type { DocumentSource } from "../store/knowledge/document_source.ts";
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

/** More than a model gets, to show what just missed. */
const EXPLAINED_PASSAGES = 10;

/** What a change expects: one of these versions of a base, or hashes of a document's content. */
type IfMatch<Tag> = { ifMatch?: readonly Tag[] | undefined };

interface KnowledgeServiceDeps {
  bases: KnowledgeBaseStore;
  documents: DocumentStore;
  processor: Pick<DocumentProcessor, "wake">;
  search: Pick<KnowledgeSearch, "search">;
  passages: Pick<KvPassageSource, "readSlice">;
  cursors: CursorSigner;
}

/**
 * Knowledge bases and their documents, for /v1 and the dashboard. Methods throw `ApiError`; 404 for what
 * the tenant does not have.
 */
export class KnowledgeService {
  #deps: KnowledgeServiceDeps;

  constructor(deps: KnowledgeServiceDeps) {
    this.#deps = deps;
  }

  /**
   * `body` is unparsed; `commit` may extend the transaction that stores the base. Throws 403 if the
   * plan's quota is used up.
   */
  async create(
    tenant: string,
    body: unknown,
    options: { commit?: CommitStep<KnowledgeBase> | undefined } = {},
  ): Promise<KnowledgeBase> {
    const { bases } = this.#deps;
    const parsed = parseOrThrow(knowledgeBaseBodySchema, body);
    return await bases.create(tenant, parsed, options);
  }

  /** Like `get`, but `undefined` instead of 404. */
  async find(tenant: string, id: string): Promise<KnowledgeBase | undefined> {
    const record = await this.#deps.bases.get(tenant, id);
    return record && toKnowledgeBase(record);
  }

  async get(tenant: string, id: string): Promise<KnowledgeBase> {
    return await this.find(tenant, id) ?? noBase();
  }

  /** Newest first; 400 for a cursor of another list. */
  list(tenant: string, page: PageRequest): Promise<Page<KnowledgeBase>> {
    const load = (opened: PageRequest) => this.#deps.bases.list(tenant, opened);
    return this.#deps.cursors.page(page, { list: `knowledge_bases ${tenant}`, load });
  }

  /** 412 if the base's version is not in `ifMatch`. */
  async patch(
    tenant: string,
    id: string,
    { patch, ifMatch }: { patch: unknown } & IfMatch<number>,
  ): Promise<KnowledgeBase> {
    const change = parseOrThrow(knowledgeBasePatchSchema, patch);
    const changed = await this.#deps.bases.update(tenant, id, { ...change, ifMatch });
    if (changed === "version_conflict") return hasChanged("knowledge base");
    return changed === "not_found" ? noBase() : changed;
  }

  /** Deletes the base with all its documents. Agents that use it find nothing from then on. */
  async delete(tenant: string, id: string, options: IfMatch<number> = {}): Promise<void> {
    const deleted = await this.#deps.bases.delete(tenant, id, options);
    if (deleted === "version_conflict") hasChanged("knowledge base");
    if (!deleted) noBase();
  }

  /** Stores a document and starts processing; 400 if its base is full, 403 if the plan's quota is. */
  async addDocument(
    base: { tenant: string; base: string },
    upload: Upload,
    options: { commit?: CommitStep<Document> | undefined } = {},
  ): Promise<Document> {
    const document = unwrapChange(await this.#deps.documents.create(base, upload, options));
    this.#deps.processor.wake();
    return document;
  }

  /** Replaces a document's content and starts processing; the same errors as for a new one. */
  async replaceDocument(
    of: { tenant: string; base: string; id: string },
    upload: Upload,
    options: IfMatch<string> = {},
  ): Promise<Document> {
    const replaced = await this.#deps.documents.replace(of, upload, options);
    const document = unwrapChange(replaced, noDocument);
    this.#deps.processor.wake();
    return document;
  }

  async getDocument(of: { tenant: string; base: string; id: string }): Promise<Document> {
    return await this.#deps.documents.get(of) ?? noDocument();
  }

  /** What was read from a document, in its order; none before it has been processed. */
  async readPassages(
    of: { tenant: string; base: string; id: string },
    slice: { from: number; limit: number },
  ): Promise<{ passages: StoredPassage[]; more: boolean }> {
    await this.getDocument(of);
    return await this.#deps.passages.readSlice(of, slice);
  }

  /** Newest first; 400 for a cursor of another list. */
  async listDocuments(
    base: { tenant: string; base: string },
    page: PageRequest,
  ): Promise<Page<Document>> {
    await this.get(base.tenant, base.base);
    return await this.#deps.cursors.page(page, {
      list: `documents ${base.tenant} ${base.base}`,
      load: (opened) => this.#deps.documents.list(base, opened),
    });
  }

  /** The uploaded file, as it was sent. */
  async readSource(
    of: { tenant: string; base: string; id: string },
  ): Promise<DocumentSource> {
    return await this.#deps.documents.readSource(of) ?? noDocument();
  }

  async deleteDocument(
    of: { tenant: string; base: string; id: string },
    options: IfMatch<string> = {},
  ): Promise<void> {
    const deleted = await this.#deps.documents.delete(of, options);
    if (deleted === "changed") hasChanged("document");
    if (!deleted) noDocument();
  }

  /** The passages that match a query, best first, 5 by default. */
  async search(
    base: { tenant: string; base: string },
    { query, limit = KNOWLEDGE_BOUNDS.defaultPassages }: {
      query: string;
      limit?: number | undefined;
    },
  ): Promise<Passage[]> {
    return await this.#deps.search.search(base, { query, limit }) ?? noBase();
  }

  /** Like `search`, with the positions of the query's words in each passage. */
  async explainSearch(
    base: { tenant: string; base: string },
    body: unknown,
  ): Promise<FoundPassage[]> {
    const { query, limit = EXPLAINED_PASSAGES } = parseOrThrow(searchBodySchema, body);
    return await this.#deps.search.search(base, { query, limit, explain: true }) ?? noBase();
  }

  /** Processes a document again. The old version stays searchable until that has finished. */
  async reprocessDocument(of: { tenant: string; base: string; id: string }): Promise<Document> {
    const document = unwrapChange(await this.#deps.documents.reprocess(of), noDocument);
    this.#deps.processor.wake();
    return document;
  }
}

function unwrapChange(change: DocumentChangeResult, notFound: () => never = noBase): Document {
  if ("document" in change) return change.document;
  if (change.rejected === "not_found") return notFound();
  if (change.rejected === "changed") return hasChanged("document");
  if (change.rejected === "busy") {
    throw new ApiError("version_conflict", "the document is being changed; try again");
  }
  const message = `the knowledge base ${change.reason}`;
  throw validationError([{ path: "", code: "too_many", message }]);
}

function hasChanged(what: string): never {
  throw new ApiError("version_conflict", `the ${what} has changed since you read it`);
}

function noBase(): never {
  throw new ApiError("not_found", "there is no such knowledge base");
}

function noDocument(): never {
  throw new ApiError("not_found", "there is no such document");
}
