import type { Runtime } from "../../platform/runtime.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import {
  deletePrefixes,
  joinChunks,
  readChunks,
  totalBytes,
  writeChunks,
} from "../values/chunks.ts";
import {
  type ClaimedTask,
  type DocumentRecord,
  documentRecordSchema,
  type DocumentTask,
  documentTaskSchema,
  type Revision,
} from "./document_record.ts";
import { TASK_CLAIM_MS } from "./document_store.ts";
import { keys } from "../keys/keys.ts";
import { applyChange, knowledgeBaseRecordSchema } from "./knowledge_base_record.ts";
import { type KnowledgeQuota, knowledgeStorageUsage, readTextBytes } from "./knowledge_usage.ts";
import { quotaMessage } from "../tenants/quota_exceeded_error.ts";
import { parseRecord } from "../values/record.ts";
import type { StorageUsage, UsageUpdate } from "../tenants/storage_usage.ts";

/** The passages of a parsed document, encoded as chunks that the store takes. */
export interface ParsedDocument {
  chunks: Uint8Array<ArrayBuffer>[];
  /** The number of passages. */
  passages: number;
}

/** A document to be read, and what was sent. */
export interface ClaimedDocument {
  task: ClaimedTask;
  mediaType: DocumentRecord["mediaType"];
  bytes: Uint8Array<ArrayBuffer>;
}

interface ProcessingResult {
  revision: Revision | undefined;
  error: { code: string; message: string } | undefined;
}

/** What reading a document came to. */
export type ProcessingOutcome = { read: ParsedDocument } | {
  error: { code: string; message: string };
};

/**
 * Documents that are to be read, as a queue in the store: any process may take one, for a time, and
 * what a dead process leaves is taken again.
 */
export class DocumentTaskQueue {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #usage: StorageUsage<KnowledgeQuota>;
  /** Whose turn it was last: one tenant's thousand documents must not keep all others waiting. */
  #lastTenant = "";
  #isEmpty = false;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#usage = knowledgeStorageUsage(kv);
  }

  /** Whether there was no task when they were last looked at; not even one that somebody works on. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Takes the next document that nobody has; `undefined` when there is none. */
  async take(): Promise<ClaimedDocument | undefined> {
    for (;;) {
      const task = await this.#claim();
      if (task === undefined) return undefined;
      const document = await this.#readSource(task);
      if (document !== undefined) return document;
    }
  }

  /** Stores what reading came to; nothing when the document has changed or gone meanwhile. */
  async finish(task: ClaimedTask, outcome: ProcessingOutcome): Promise<void> {
    const revision = "read" in outcome ? await this.#writeRevision(task, outcome.read) : undefined;
    // Somebody else has the task now, and clears away what was written.
    if (revision === "lost") return;
    const error = "error" in outcome ? outcome.error : undefined;
    const kept = await this.#usage.change(
      task.of.tenant,
      (usage) => this.#commitResult(task, { revision, error, usage }),
    );
    if (kept !== "lost") await this.#cleanUp(task, kept);
  }

  /** Gives a task back, as if it had not been taken. */
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
    const taken = await this.#kv.atomic().check(next).set(next.key, task).commit();
    if (!taken.ok) return await this.#claim();
    const [, tenant, base, id] = next.key.map(String) as [string, string, string, string];
    this.#lastTenant = tenant;
    const of = { tenant, base, id };
    return { of, key: next.key, versionstamp: taken.versionstamp, tries };
  }

  /** What there is to read; where there is nothing, what is left of it is cleared away. */
  async #readSource(task: ClaimedTask): Promise<ClaimedDocument | undefined> {
    const { of } = task;
    const record = parseRecord(documentRecordSchema, await this.#kv.get(keys.document(of)));
    if (record?.state !== "processing") {
      await this.#cleanUp(task, record);
      return undefined;
    }
    const { id, parts } = record.source;
    const wanted = Array.from({ length: parts }, (_, n) => keys.documentSourceChunk(of, id, n));
    const found = await readChunks(this.#kv, wanted);
    if (found === undefined) {
      const message = "its content was lost; send it again";
      await this.finish(task, { error: { code: "damaged", message } });
      return undefined;
    }
    return { task, mediaType: record.mediaType, bytes: joinChunks(found) };
  }

  async #writeRevision(task: ClaimedTask, read: ParsedDocument): Promise<Revision | "lost"> {
    const id = this.#runtime.uuid();
    const keyOf = (n: number) => keys.documentPassageChunk(task.of, id, n);
    const held = await writeChunks(this.#kv, read.chunks, { guard: task, keyOf });
    if (!held) return "lost";
    const { chunks, passages } = read;
    return { id, parts: chunks.length, chunks: passages, bytes: totalBytes(chunks) };
  }

  async #commitResult(
    task: ClaimedTask,
    { revision, error, usage }: ProcessingResult & { usage: UsageUpdate<KnowledgeQuota> },
  ): Promise<DocumentRecord | "lost" | undefined> {
    const { of } = task;
    const [held, entry, baseEntry] = await this.#kv.getMany<[unknown, unknown, unknown]>(
      [task.key, keys.document(of), keys.knowledgeBase(of.tenant, of.base)],
    );
    const record = parseRecord(documentRecordSchema, entry);
    const base = parseRecord(knowledgeBaseRecordSchema, baseEntry);
    const mine = held.versionstamp === task.versionstamp;
    if (!mine || record === undefined || base === undefined) return "lost";
    const before = record.revision?.chunks ?? 0;
    usage.add("knowledgeBytes", -await readTextBytes(this.#kv, { of, record }));
    const unfit = revision && capacityError(revision, {
      chunks: KNOWLEDGE_BOUNDS.chunksPerBase - base.chunks + before,
      usage,
    });
    const now = this.#runtime.now();
    const next = processedRecord({ ...record, updatedAt: now }, {
      revision: unfit === undefined ? revision : undefined,
      error: unfit ?? error,
    });
    usage.add("knowledgeBytes", next.revision?.bytes ?? 0);
    const chunks = (next.revision?.chunks ?? 0) - before;
    const change = this.#kv.atomic()
      .check(held, entry, baseEntry)
      .set(entry.key, next)
      .set(baseEntry.key, applyChange(base, { chunks, now }));
    usage.writeTo(change);
    const indexed = keys.indexedDocument(of);
    if (next.revision === undefined) change.delete(indexed);
    else change.set(indexed, { v: 1, title: next.title, revision: next.revision });
    return (await change.commit()).ok ? next : undefined;
  }

  /** Removes what the document no longer names, all of it where there is none, and then its task. */
  async #cleanUp(
    { of, key, versionstamp }: ClaimedTask,
    record: DocumentRecord | undefined,
  ): Promise<void> {
    const kept = [record?.source.id, record?.revision?.id];
    const isKept = (part: Deno.KvKey) => kept.includes(String(part[4]));
    await deletePrefixes(
      this.#kv,
      [keys.documentSourceChunks(of), keys.documentPassageChunks(of)],
      isKept,
    );
    // Unless the document is to be read again by now.
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

/** Why passages cannot be kept; nothing when they can. */
function capacityError(
  { chunks, bytes = 0 }: Revision,
  room: { chunks: number; usage: UsageUpdate<KnowledgeQuota> },
): { code: string; message: string } | undefined {
  if (chunks > room.chunks) return tooManyPassages(room.chunks);
  const { used, quotas } = room.usage;
  if (bytes <= room.usage.remaining("knowledgeBytes")) return undefined;
  const facts = {
    used: used.knowledgeBytes,
    limit: quotas.knowledgeBytes,
    requested: bytes,
  };
  return { code: "quota_exceeded", message: quotaMessage("knowledgeBytes", facts) };
}

function tooManyPassages(room: number): { code: string; message: string } {
  const most = KNOWLEDGE_BOUNDS.chunksPerBase.toLocaleString("en");
  const left = Math.max(0, room).toLocaleString("en");
  const message = `a knowledge base takes ${most} passages; there is room for ${left} more`;
  return { code: "too_long", message };
}
