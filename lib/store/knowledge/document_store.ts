import type { Runtime } from "../../platform/runtime.ts";
import type { Document } from "../../schemas/knowledge.ts";
import { type DocumentName, keys } from "../keys/keys.ts";
import type { StorageUsage, UsageUpdate } from "../tenants/storage_usage.ts";
import { deletePrefixes, splitChunks, writeChunks } from "../values/chunks.ts";
import { type Page, type PageRequest, readPage } from "../values/page.ts";
import { type CommitStep, commitStep, parseRecord, updateRecord } from "../values/record.ts";
import {
  type DocumentRecord,
  documentRecordSchema,
  type DocumentTask,
  type NewDocument,
  newDocumentRecord,
  recordDocumentChange,
  toDocument,
} from "./document_record.ts";
import { type DocumentSource, type IfMatch, isMet, readDocumentSource } from "./document_source.ts";
import {
  applyChange,
  documentRejection,
  type KnowledgeBaseChange,
  type KnowledgeBaseRecord,
  knowledgeBaseRecordSchema,
  sizeRejection,
} from "./knowledge_base_record.ts";
import {
  type KnowledgeQuota,
  knowledgeStorageUsage,
  readDocumentBytes,
} from "./knowledge_usage.ts";

/** Without a sign of its owner, a claimed task can be claimed again after this long. */
export const TASK_CLAIM_MS = 90_000;

/** The changed document, or why it was not changed. */
export type DocumentChangeResult =
  | { document: Document }
  | { rejected: "not_found" }
  /** Another request is changing it. */
  | { rejected: "busy" }
  /** Its content is not what the caller expects. */
  | { rejected: "changed" }
  | { rejected: "full"; reason: string };

type Source = DocumentRecord["source"];

/** `undefined` if the step did not commit. */
type Deletion = { deleted: boolean | "changed" } | undefined;

/** What one attempt to change a document has read. */
interface DocumentState {
  entry: Deno.KvEntryMaybe<unknown>;
  baseEntry: Deno.KvEntryMaybe<unknown>;
  record: DocumentRecord | undefined;
  base: KnowledgeBaseRecord | undefined;
}

/** Stores, lists and deletes the documents of all tenants. `DocumentTaskQueue` processes them. */
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
   * Stores a document to be processed. Throws `ApiError` 403 beyond the plan's quotas. The file takes
   * several steps: the document is visible after the last one, and after a crash a task cleans up.
   */
  async create(
    base: { tenant: string; base: string },
    sent: NewDocument,
    options: { commit?: CommitStep<Document> | undefined } = {},
  ): Promise<DocumentChangeResult> {
    const rejection = await this.#checkCapacity(base, sent.bytes.length);
    if (rejection !== undefined) return rejection;
    const of = { ...base, id: this.#runtime.uuid() };
    let created: DocumentChangeResult | undefined;
    try {
      const source = await this.#writeSource(of, sent.bytes);
      created = source && await this.#commitNew(of, { sent, source, commit: options.commit });
      return created ?? { rejected: "not_found" };
    } finally {
      if (created === undefined || !("document" in created)) await this.#deleteContent(of);
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

  /** Deletes the document in one step, and then its content; false if there was none. */
  async delete(
    of: DocumentName,
    { audit = true, ifMatch }: { audit?: boolean } & IfMatch = {},
  ): Promise<boolean | "changed"> {
    const { deleted } = await this.#change(of, async (state, usage): Promise<Deletion> => {
      const { record, base, entry } = state;
      if (record === undefined || base === undefined) return { deleted: false };
      if (!isMet(ifMatch, record)) return { deleted: "changed" };
      const step = this.#updateBase(state, {
        documents: -1,
        chunks: -(record.revision?.chunks ?? 0),
        sourceBytes: -record.bytes,
      })
        .delete(entry.key)
        .delete(keys.documentByCreated(of, record.createdAt))
        .delete(keys.indexedDocument(of))
        .set(keys.documentTask(of), this.#claimedTask());
      usage.add("knowledgeBytes", -await readDocumentBytes(this.#kv, { of, record }));
      usage.writeTo(step);
      recordDocumentChange(step, this.#runtime, {
        ...{ of, action: "delete", base, before: record, audit },
      });
      return (await step.commit()).ok ? { deleted: true } : undefined;
    });
    if (deleted === true) await this.#deleteContent(of);
    return deleted;
  }

  /** The uploaded file; `undefined` if there is no such document. */
  readSource(of: DocumentName): Promise<DocumentSource | undefined> {
    return readDocumentSource(this.#kv, of);
  }

  /** Replaces a document's content; the previous revision stays searchable until it is processed. */
  async replace(
    of: DocumentName,
    sent: NewDocument,
    { ifMatch }: IfMatch = {},
  ): Promise<DocumentChangeResult> {
    const entry = await this.#kv.get(keys.document(of));
    const current = parseRecord(documentRecordSchema, entry);
    if (current === undefined) return { rejected: "not_found" };
    if (!isMet(ifMatch, current)) return { rejected: "changed" };
    try {
      const source = await this.#writeSource(of, sent.bytes);
      // Another process has claimed the task, and deletes what was written.
      if (source === undefined) return { rejected: "busy" };
      const replaced = await this.#commitReplacement(of, { sent, source, ifMatch });
      if (!("document" in replaced)) await this.#kv.set(keys.documentTask(of), unclaimedTask());
      return replaced;
    } catch (error) {
      await this.#kv.set(keys.documentTask(of), unclaimedTask());
      throw error;
    }
  }

  /** Has a document processed again; the previous revision stays searchable until then. */
  async reprocess(of: DocumentName): Promise<DocumentChangeResult> {
    const { versionstamp } = await this.#kv.get(keys.knowledgeBase(of.tenant, of.base));
    if (versionstamp === null) return { rejected: "not_found" };
    const key = keys.document(of);
    const location = { key, schema: documentRecordSchema, what: "document" };
    return await updateRecord(this.#kv, location, (record, save): DocumentChangeResult => {
      if (record === undefined) return { rejected: "not_found" };
      const { error: _, ...rest } = record;
      const next: DocumentRecord = { ...rest, state: "processing", updatedAt: this.#runtime.now() };
      save(next).set(keys.documentTask(of), unclaimedTask());
      return { document: toDocument(next) };
    });
  }

  /** Checks before the upload; the step that stores the document checks again. */
  async #checkCapacity(
    { tenant, base }: { tenant: string; base: string },
    bytes: number,
  ): Promise<DocumentChangeResult | undefined> {
    const entry = await this.#kv.get(keys.knowledgeBase(tenant, base));
    const record = parseRecord(knowledgeBaseRecordSchema, entry);
    if (record === undefined) return { rejected: "not_found" };
    const reason = documentRejection(record, bytes);
    if (reason !== undefined) return { rejected: "full", reason };
    (await this.#usage.read(tenant)).add("knowledgeBytes", bytes);
    return undefined;
  }

  /** Stores the file; `undefined` if the base was deleted in between. */
  async #writeSource(of: DocumentName, bytes: Uint8Array): Promise<Source | undefined> {
    const key = keys.documentTask(of);
    const { versionstamp } = await this.#kv.set(key, this.#claimedTask());
    const chunks = splitChunks(bytes);
    const id = this.#runtime.uuid();
    const keyOf = (n: number) => keys.documentSourceChunk(of, id, n);
    const written = await writeChunks(this.#kv, chunks, { guard: { key, versionstamp }, keyOf });
    return written ? { id, parts: chunks.length } : undefined;
  }

  #commitNew(of: DocumentName, { sent, source, commit = commitStep }: {
    sent: NewDocument;
    source: Source;
    commit?: CommitStep<Document> | undefined;
  }): Promise<DocumentChangeResult> {
    return this.#change<DocumentChangeResult>(of, async (state, usage) => {
      const { base, entry } = state;
      if (base === undefined) return { rejected: "not_found" };
      const sourceBytes = sent.bytes.length;
      const reason = documentRejection(base, sourceBytes);
      if (reason !== undefined) return { rejected: "full", reason };
      usage.add("knowledgeBytes", sourceBytes);
      const now = this.#runtime.now();
      const record = newDocumentRecord(of.id, { sent, source, now });
      const step = this.#updateBase(state, { documents: 1, sourceBytes })
        .set(entry.key, record)
        .set(keys.documentByCreated(of, now), of.id)
        .set(keys.documentTask(of), unclaimedTask());
      usage.writeTo(step);
      const audit = sent.page === undefined;
      const change = { of, action: "create" as const, base, after: record, audit };
      recordDocumentChange(step, this.#runtime, change);
      const document = toDocument(record);
      return await commit(step, document) ? { document } : undefined;
    });
  }

  #commitReplacement(
    of: DocumentName,
    { sent, source, ifMatch }: { sent: NewDocument; source: Source } & IfMatch,
  ): Promise<DocumentChangeResult> {
    return this.#change<DocumentChangeResult>(of, async (state, usage) => {
      const { record: before, base, entry } = state;
      if (before === undefined || base === undefined) return { rejected: "not_found" };
      if (!isMet(ifMatch, before)) return { rejected: "changed" };
      const sourceBytes = sent.bytes.length - before.bytes;
      const reason = sizeRejection(base, sourceBytes);
      if (reason !== undefined) return { rejected: "full", reason };
      usage.add("knowledgeBytes", sourceBytes);
      const after: DocumentRecord = {
        ...newDocumentRecord(of.id, { sent, source, now: this.#runtime.now() }),
        createdAt: before.createdAt,
        ...(before.page && { page: before.page }),
        ...(before.revision && { revision: before.revision }),
      };
      const step = this.#updateBase(state, { sourceBytes })
        .set(entry.key, after)
        .set(keys.documentTask(of), unclaimedTask());
      usage.writeTo(step);
      const audit = sent.page === undefined;
      const change = { of, action: "replace" as const, base, before, after, audit };
      recordDocumentChange(step, this.#runtime, change);
      return (await step.commit()).ok ? { document: toDocument(after) } : undefined;
    });
  }

  /** Repeats `attempt` with the current document and base until its step commits. */
  #change<T>(
    of: DocumentName,
    attempt: (
      state: DocumentState,
      usage: UsageUpdate<KnowledgeQuota>,
    ) => Promise<T | undefined>,
  ): Promise<T> {
    return this.#usage.change(of.tenant, async (usage) => {
      const wanted = [keys.document(of), keys.knowledgeBase(of.tenant, of.base)] as const;
      const [entry, baseEntry] = await this.#kv.getMany<[unknown, unknown]>(wanted);
      const record = parseRecord(documentRecordSchema, entry);
      const base = parseRecord(knowledgeBaseRecordSchema, baseEntry);
      return await attempt({ entry, baseEntry, record, base }, usage);
    });
  }

  /** A step that checks the document and its base, and changes the base's counts. */
  #updateBase(
    { entry, baseEntry, base }: DocumentState,
    change: KnowledgeBaseChange,
  ): Deno.AtomicOperation {
    const next = applyChange(base!, { ...change, now: this.#runtime.now() });
    return this.#kv.atomic().check(entry, baseEntry).set(baseEntry.key, next);
  }

  /** Deletes the content of a document that does not exist, and its task. */
  async #deleteContent(of: DocumentName): Promise<void> {
    const prefixes = [keys.documentSourceChunks(of), keys.documentPassageChunks(of)];
    await deletePrefixes(this.#kv, prefixes);
    await this.#kv.delete(keys.documentTask(of));
  }

  #claimedTask(): DocumentTask {
    return { v: 1, until: this.#runtime.now() + TASK_CLAIM_MS, tries: 0 };
  }
}

function unclaimedTask(): DocumentTask {
  return { v: 1, until: 0, tries: 0 };
}
