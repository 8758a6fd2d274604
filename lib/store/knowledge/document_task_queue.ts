import type { Runtime } from "../../platform/runtime.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import { keys } from "../keys/keys.ts";
import { quotaMessage } from "../tenants/quota_exceeded_error.ts";
import type { StorageUsage, UsageUpdate } from "../tenants/storage_usage.ts";
import {
  chunkKeys,
  concatBytes,
  deletePrefixes,
  readChunks,
  totalBytes,
  writeChunks,
} from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import {
  type ClaimedTask,
  type DocumentRecord,
  documentRecordSchema,
  type DocumentTask,
  documentTaskSchema,
  type Revision,
} from "./document_record.ts";
import { TASK_CLAIM_MS } from "./document_store.ts";
import { applyChange, knowledgeBaseRecordSchema } from "./knowledge_base_record.ts";
import { type KnowledgeQuota, knowledgeStorageUsage, readTextBytes } from "./knowledge_usage.ts";

/** The passages of a parsed document, encoded as chunks that the store takes. */
export interface ParsedDocument {
  chunks: Uint8Array<ArrayBuffer>[];
  /** The number of passages. */
  passages: number;
}

/** A document to be processed, with its uploaded file. */
export interface ClaimedDocument {
  task: ClaimedTask;
  mediaType: DocumentRecord["mediaType"];
  bytes: Uint8Array<ArrayBuffer>;
}

type DocumentError = { code: string; message: string };

/** The passages, or why the document has none. */
export type ProcessingOutcome = { read: ParsedDocument } | { error: DocumentError };

type ProcessingResult = { revision: Revision | undefined; error: DocumentError | undefined };

/**
 * A queue of documents to be processed. Any process may claim one for a limited time; the claims of dead
 * processes expire.
 */
export class DocumentTaskQueue {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #usage: StorageUsage<KnowledgeQuota>;
  /** Tenants take turns: a tenant's thousand documents must not block the others. */
  #lastTenant = "";
  #isEmpty = false;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#usage = knowledgeStorageUsage(kv);
  }

  /** True if the last look at the queue found no task, not even a claimed one. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Claims the next document; `undefined` if there is none. */
  async take(): Promise<ClaimedDocument | undefined> {
    for (;;) {
      const task = await this.#claim();
      if (task === undefined) return undefined;
      const document = await this.#readSource(task);
      if (document !== undefined) return document;
    }
  }

  /** Stores the outcome, unless the document was changed or deleted in between. */
  async finish(task: ClaimedTask, outcome: ProcessingOutcome): Promise<void> {
    const revision = "read" in outcome ? await this.#writeRevision(task, outcome.read) : undefined;
    // Another process has claimed the task, and deletes what was written.
    if (revision === "lost") return;
    const error = "error" in outcome ? outcome.error : undefined;
    const record = await this.#usage.change(
      task.of.tenant,
      (usage) => this.#commitResult(task, { revision, error, usage }),
    );
    if (record !== "lost") await this.#cleanUp(task, record);
  }

  /** Releases a claim as if it had not been made. */
  async release({ key, versionstamp, tries }: ClaimedTask): Promise<void> {
    const free: DocumentTask = { v: 1, until: 0, tries };
    await this.#kv.atomic().check({ key, versionstamp }).set(key, free).commit();
  }

  async #claim(): Promise<ClaimedTask | undefined> {
    const now = this.#runtime.now();
    const free: Deno.KvEntry<unknown>[] = [];
    let found = 0;
    for await (const entry of this.#kv.list({ prefix: keys.documentTasks() })) {
      found++;
      if (parseRecord(documentTaskSchema, entry)!.until > now) continue;
      free.push(entry);
      if (String(entry.key[1]) > this.#lastTenant) break;
    }
    this.#isEmpty = found === 0;
    const next = free.find(({ key }) => String(key[1]) > this.#lastTenant) ?? free[0];
    if (next === undefined) return undefined;
    const { tries } = parseRecord(documentTaskSchema, next)!;
    const task: DocumentTask = { v: 1, until: now + TASK_CLAIM_MS, tries: tries + 1 };
    const claimed = await this.#kv.atomic().check(next).set(next.key, task).commit();
    if (!claimed.ok) return await this.#claim();
    const [, tenant, base, id] = next.key.map(String) as [string, string, string, string];
    this.#lastTenant = tenant;
    const of = { tenant, base, id };
    return { of, key: next.key, versionstamp: claimed.versionstamp, tries };
  }

  /** Reads the uploaded file; if there is nothing to process, cleans up instead. */
  async #readSource(task: ClaimedTask): Promise<ClaimedDocument | undefined> {
    const { of } = task;
    const record = parseRecord(documentRecordSchema, await this.#kv.get(keys.document(of)));
    if (record?.state !== "processing") {
      await this.#cleanUp(task, record);
      return undefined;
    }
    const { id, parts } = record.source;
    const wanted = chunkKeys(parts, (n) => keys.documentSourceChunk(of, id, n));
    const chunks = await readChunks(this.#kv, wanted);
    if (chunks === undefined) {
      const message = "its content was lost; send it again";
      await this.finish(task, { error: { code: "damaged", message } });
      return undefined;
    }
    return { task, mediaType: record.mediaType, bytes: concatBytes(chunks) };
  }

  async #writeRevision(
    task: ClaimedTask,
    { chunks, passages }: ParsedDocument,
  ): Promise<Revision | "lost"> {
    const id = this.#runtime.uuid();
    const keyOf = (n: number) => keys.documentPassageChunk(task.of, id, n);
    if (!await writeChunks(this.#kv, chunks, { guard: task, keyOf })) return "lost";
    return { id, parts: chunks.length, chunks: passages, bytes: totalBytes(chunks) };
  }

  async #commitResult(
    task: ClaimedTask,
    { revision, error, usage }: ProcessingResult & { usage: UsageUpdate<KnowledgeQuota> },
  ): Promise<DocumentRecord | "lost" | undefined> {
    const { of } = task;
    const [claim, entry, baseEntry] = await this.#kv.getMany<[unknown, unknown, unknown]>(
      [task.key, keys.document(of), keys.knowledgeBase(of.tenant, of.base)],
    );
    const record = parseRecord(documentRecordSchema, entry);
    const base = parseRecord(knowledgeBaseRecordSchema, baseEntry);
    const isOwner = claim.versionstamp === task.versionstamp;
    if (!isOwner || record === undefined || base === undefined) return "lost";
    const before = record.revision?.chunks ?? 0;
    usage.add("knowledgeBytes", -await readTextBytes(this.#kv, { of, record }));
    const maxPassages = KNOWLEDGE_BOUNDS.chunksPerBase - base.chunks + before;
    const tooLarge = revision && capacityError(revision, { maxPassages, usage });
    const now = this.#runtime.now();
    const next = processedRecord({ ...record, updatedAt: now }, {
      revision: tooLarge === undefined ? revision : undefined,
      error: tooLarge ?? error,
    });
    usage.add("knowledgeBytes", next.revision?.bytes ?? 0);
    const chunks = (next.revision?.chunks ?? 0) - before;
    const step = this.#kv.atomic()
      .check(claim, entry, baseEntry)
      .set(entry.key, next)
      .set(baseEntry.key, applyChange(base, { chunks, now }));
    usage.writeTo(step);
    const indexed = keys.indexedDocument(of);
    if (next.revision === undefined) step.delete(indexed);
    else {
      const { title, page, revision } = next;
      step.set(indexed, { v: 1, title, ...page && { url: page.url }, revision });
    }
    return (await step.commit()).ok ? next : undefined;
  }

  /** Deletes content that `record` does not refer to, and then the task. */
  async #cleanUp(
    { of, key, versionstamp }: ClaimedTask,
    record: DocumentRecord | undefined,
  ): Promise<void> {
    const used = [record?.source.id, record?.revision?.id];
    const isUsed = (key: Deno.KvKey) => used.includes(String(key[4]));
    const prefixes = [keys.documentSourceChunks(of), keys.documentPassageChunks(of)];
    await deletePrefixes(this.#kv, prefixes, isUsed);
    // Unless the document is to be processed again.
    await this.#kv.atomic().check({ key, versionstamp }).delete(key).commit();
  }
}

function processedRecord(
  { error: _error, revision: _revision, ...record }: DocumentRecord,
  { revision, error }: ProcessingResult,
): DocumentRecord {
  if (revision !== undefined) return { ...record, state: "ready", revision };
  return { ...record, state: "failed", ...(error === undefined ? {} : { error }) };
}

/** Why the passages cannot be stored; `undefined` if they can. */
function capacityError(
  { chunks, bytes = 0 }: Revision,
  { maxPassages, usage }: { maxPassages: number; usage: UsageUpdate<KnowledgeQuota> },
): DocumentError | undefined {
  if (chunks > maxPassages) {
    const limit = KNOWLEDGE_BOUNDS.chunksPerBase.toLocaleString("en");
    const left = Math.max(0, maxPassages).toLocaleString("en");
    const message = `a knowledge base takes ${limit} passages; there is room for ${left} more`;
    return { code: "too_long", message };
  }
  if (bytes <= usage.remaining("knowledgeBytes")) return undefined;
  const { knowledgeBytes: used } = usage.used;
  const message = quotaMessage("knowledgeBytes", {
    used,
    limit: usage.quotas.knowledgeBytes,
    requested: bytes,
  });
  return { code: "quota_exceeded", message };
}
