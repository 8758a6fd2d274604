import type { Runtime } from "../../platform/runtime.ts";
import type { Document } from "../../schemas/knowledge.ts";
import type { MediaType } from "../../schemas/media_types.ts";
import { deletePrefixes, splitChunks, writeChunks } from "../values/chunks.ts";
import {
  type DocumentRecord,
  documentRecordSchema,
  type DocumentTask,
  recordDocumentChange,
  toDocument,
} from "./document_record.ts";
import { type DocumentName, keys } from "../keys/keys.ts";
import {
  applyChange,
  documentRejection,
  type KnowledgeBaseChange,
  knowledgeBaseRecordSchema,
  sizeRejection,
} from "./knowledge_base_record.ts";
import {
  type KnowledgeQuota,
  knowledgeStorageUsage,
  readDocumentBytes,
} from "./knowledge_usage.ts";
import { type Page, type PageRequest, readPage } from "../values/page.ts";
import { type CommitStep, commitStep, parseRecord, retryUntilCommitted } from "../values/record.ts";
import type { StorageUsage } from "../tenants/storage_usage.ts";

/** Work on a document is taken up by somebody else after this long without a sign of it. */
export const TASK_CLAIM_MS = 90_000;

/** A document to be stored. */
export interface NewDocument {
  title: string;
  mediaType: MediaType;
  bytes: Uint8Array;
}

/** What came of a change: the document, or why there is none. */
export type DocumentChangeResult =
  | { document: Document }
  | { refused: "not_found" }
  /** Somebody else is changing it. */
  | { refused: "busy" }
  | { refused: "full"; reason: string };

/** Documents of all tenants: storing, listing and deleting them. Reading them is `DocumentTaskQueue`. */
export class DocumentStore {
  #kv: Deno.Kv;
  #runtime: Runtime;

  #usage: StorageUsage<KnowledgeQuota>;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#usage = knowledgeStorageUsage(kv);
  }

  /**
   * Stores what was sent, and the document as one to be read. Throws `ApiError` 403 when the plan has no
   * room for it. What was sent is too large for one step:
   * until the last of them nobody sees it, and a crash before leaves a task that clears it away.
   */
  async create(
    base: { tenant: string; base: string },
    sent: NewDocument,
    options: { commit?: CommitStep<Document> | undefined } = {},
  ): Promise<DocumentChangeResult> {
    const refused = await this.#checkCapacity(base, sent.bytes.length);
    if (refused !== undefined) return refused;
    const of = { ...base, id: this.#runtime.uuid() };
    try {
      const source = await this.#writeSource(of, sent.bytes);
      const made = source &&
        await this.#commitDocument(of, { sent, source, commit: options.commit });
      if (made !== undefined && "document" in made) return made;
      await this.#deleteContent(of);
      return made ?? { refused: "not_found" };
    } catch (error) {
      await this.#deleteContent(of);
      throw error;
    }
  }

  async get(of: DocumentName): Promise<Document | undefined> {
    const record = parseRecord(documentRecordSchema, await this.#kv.get(keys.document(of)));
    return record && toDocument(record);
  }

  /** Newest first. */
  list(base: { tenant: string; base: string }, page: PageRequest): Promise<Page<Document>> {
    const load = (id: string) => this.get({ ...base, id });
    return readPage(this.#kv, keys.documentsByCreated(base.tenant, base.base), { ...page, load });
  }

  /** Deletes the document in one step, and then its content; answers whether there was one. */
  async delete(of: DocumentName): Promise<boolean> {
    const was = await this.#usage.change(of.tenant, async (usage) => {
      const [entry, baseEntry] = await this.#readWithBase(of);
      const record = parseRecord(documentRecordSchema, entry);
      const base = parseRecord(knowledgeBaseRecordSchema, baseEntry);
      if (record === undefined || base === undefined) return { there: false };
      const change: KnowledgeBaseChange = {
        documents: -1,
        chunks: -(record.revision?.chunks ?? 0),
        sourceBytes: -record.bytes,
      };
      const step = this.#kv.atomic()
        .check(entry, baseEntry)
        .delete(entry.key)
        .delete(keys.documentByCreated(of, record.createdAt))
        .delete(keys.indexedDocument(of))
        .set(baseEntry.key, applyChange(base, { ...change, now: this.#runtime.now() }))
        .set(keys.documentTask(of), this.#claimedTask());
      usage.add("knowledgeBytes", -await readDocumentBytes(this.#kv, { of, record }));
      usage.writeTo(step);
      recordDocumentChange(step, this.#runtime, { of, action: "delete", base, before: record });
      const { ok } = await step.commit();
      return ok ? { there: true } : undefined;
    });
    if (was.there) await this.#deleteContent(of);
    return was.there;
  }

  /** Puts another content in a document's place; what can be found of it stays until that is read. */
  async replace(of: DocumentName, sent: NewDocument): Promise<DocumentChangeResult> {
    const entry = await this.#kv.get(keys.document(of));
    if (entry.versionstamp === null) return { refused: "not_found" };
    try {
      const source = await this.#writeSource(of, sent.bytes);
      // The task is somebody else's now, who clears away what has been written.
      if (source === undefined) return { refused: "busy" };
      const replaced = await this.#commitReplacement(of, { sent, source });
      if (!("document" in replaced)) await this.#kv.set(keys.documentTask(of), unclaimedTask());
      return replaced;
    } catch (error) {
      await this.#kv.set(keys.documentTask(of), unclaimedTask());
      throw error;
    }
  }

  #commitReplacement(
    of: DocumentName,
    { sent, source }: { sent: NewDocument; source: DocumentRecord["source"] },
  ): Promise<DocumentChangeResult> {
    return this.#usage.change<DocumentChangeResult>(of.tenant, async (usage) => {
      const [entry, baseEntry] = await this.#readWithBase(of);
      const record = parseRecord(documentRecordSchema, entry);
      const base = parseRecord(knowledgeBaseRecordSchema, baseEntry);
      if (record === undefined || base === undefined) return { refused: "not_found" };
      const sourceBytes = sent.bytes.length - record.bytes;
      const because = sizeRejection(base, sourceBytes);
      if (because !== undefined) return { refused: "full", reason: because };
      usage.add("knowledgeBytes", sourceBytes);
      const now = this.#runtime.now();
      const next: DocumentRecord = {
        ...newDocumentRecord(of.id, { sent, source, now }),
        createdAt: record.createdAt,
        ...(record.revision && { revision: record.revision }),
      };
      const step = this.#kv.atomic()
        .check(entry, baseEntry)
        .set(entry.key, next)
        .set(baseEntry.key, applyChange(base, { sourceBytes, now }))
        .set(keys.documentTask(of), unclaimedTask());
      usage.writeTo(step);
      recordDocumentChange(step, this.#runtime, {
        of,
        action: "replace",
        base,
        before: record,
        after: next,
      });
      const { ok } = await step.commit();
      return ok ? { document: toDocument(next) } : undefined;
    });
  }

  /** Has a document read again; what can be found of it stays until then. */
  reprocess(of: DocumentName): Promise<DocumentChangeResult> {
    return retryUntilCommitted<DocumentChangeResult>(async () => {
      const [entry, baseEntry] = await this.#readWithBase(of);
      const record = parseRecord(documentRecordSchema, entry);
      if (record === undefined || baseEntry.versionstamp === null) return { refused: "not_found" };
      const { error: _, ...rest } = record;
      const next: DocumentRecord = { ...rest, state: "processing", updatedAt: this.#runtime.now() };
      const { ok } = await this.#kv.atomic()
        .check(entry)
        .set(entry.key, next)
        .set(keys.documentTask(of), unclaimedTask())
        .commit();
      return ok ? { document: toDocument(next) } : undefined;
    }, { what: "document" });
  }

  async #checkCapacity(
    { tenant, base }: { tenant: string; base: string },
    bytes: number,
  ): Promise<DocumentChangeResult | undefined> {
    const entry = await this.#kv.get(keys.knowledgeBase(tenant, base));
    const record = parseRecord(knowledgeBaseRecordSchema, entry);
    if (record === undefined) return { refused: "not_found" };
    const because = documentRejection(record, bytes);
    if (because !== undefined) return { refused: "full", reason: because };
    // Before its parts are written; whether there still is room then is decided with the document.
    (await this.#usage.read(tenant)).add("knowledgeBytes", bytes);
    return undefined;
  }

  /** `undefined` when the base has gone meanwhile. */
  async #writeSource(
    of: DocumentName,
    bytes: Uint8Array,
  ): Promise<DocumentRecord["source"] | undefined> {
    const key = keys.documentTask(of);
    const { versionstamp } = await this.#kv.set(key, this.#claimedTask());
    const parts = splitChunks(bytes);
    const id = this.#runtime.uuid();
    const keyOf = (n: number) => keys.documentSourceChunk(of, id, n);
    const written = await writeChunks(this.#kv, parts, { guard: { key, versionstamp }, keyOf });
    return written ? { id, parts: parts.length } : undefined;
  }

  #commitDocument(
    of: DocumentName,
    { sent, source, commit = commitStep }: {
      sent: NewDocument;
      source: DocumentRecord["source"];
      commit?: CommitStep<Document> | undefined;
    },
  ): Promise<DocumentChangeResult> {
    return this.#usage.change<DocumentChangeResult>(of.tenant, async (usage) => {
      const [entry, baseEntry] = await this.#readWithBase(of);
      const base = parseRecord(knowledgeBaseRecordSchema, baseEntry);
      if (base === undefined) return { refused: "not_found" };
      const because = documentRejection(base, sent.bytes.length);
      if (because !== undefined) return { refused: "full", reason: because };
      usage.add("knowledgeBytes", sent.bytes.length);
      const now = this.#runtime.now();
      const record = newDocumentRecord(of.id, { sent, source, now });
      const change = { documents: 1, sourceBytes: sent.bytes.length, now };
      const creation = this.#kv.atomic()
        .check(entry, baseEntry)
        .set(entry.key, record)
        .set(keys.documentByCreated(of, now), of.id)
        .set(baseEntry.key, applyChange(base, change))
        .set(keys.documentTask(of), unclaimedTask());
      usage.writeTo(creation);
      recordDocumentChange(creation, this.#runtime, { of, action: "create", base, after: record });
      const document = toDocument(record);
      return await commit(creation, document) ? { document } : undefined;
    });
  }

  #readWithBase(of: DocumentName) {
    const wanted = [keys.document(of), keys.knowledgeBase(of.tenant, of.base)] as const;
    return this.#kv.getMany<[unknown, unknown]>(wanted);
  }

  /** Removes the content of a document that has gone, or never came to be, and its task. */
  async #deleteContent(of: DocumentName): Promise<void> {
    await deletePrefixes(this.#kv, [keys.documentSourceChunks(of), keys.documentPassageChunks(of)]);
    await this.#kv.delete(keys.documentTask(of));
  }

  #claimedTask(): DocumentTask {
    return { v: 1, until: this.#runtime.now() + TASK_CLAIM_MS, tries: 0 };
  }
}

function unclaimedTask(): DocumentTask {
  return { v: 1, until: 0, tries: 0 };
}

function newDocumentRecord(
  id: string,
  { sent, source, now }: { sent: NewDocument; source: DocumentRecord["source"]; now: number },
): DocumentRecord {
  return {
    v: 1,
    id,
    title: sent.title,
    mediaType: sent.mediaType,
    bytes: sent.bytes.length,
    state: "processing",
    createdAt: now,
    updatedAt: now,
    source,
  };
}
