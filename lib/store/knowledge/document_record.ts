import { createHash } from "node:crypto";
import { z } from "zod";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import type { MediaType } from "../../schemas/media_types.ts";
import { type Document, documentSchema } from "../../schemas/knowledge.ts";
import { recordChange } from "../audit/audit_record.ts";
import type { DocumentName } from "../keys/keys.ts";
import type { KnowledgeBaseRecord } from "./knowledge_base_record.ts";

/** The result of processing a document once: its passages, stored under this id. */
const revisionSchema = z.object({
  id: z.uuid(),
  /** The number of stored chunks of values. */
  parts: z.int().positive(),
  /** The number of passages. */
  chunks: z.int().positive(),
  /** The size of the stored chunks; absent in records of early releases. */
  bytes: z.int().nonnegative().optional(),
});
export type Revision = z.infer<typeof revisionSchema>;

/** A stored document without its file and passages. */
export const documentRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  title: z.string(),
  mediaType: documentSchema.shape.mediaType,
  bytes: z.int().nonnegative(),
  /** Of the uploaded file, in hexadecimal; absent in records of early releases. */
  sha256: z.string().optional(),
  state: documentSchema.shape.state,
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** The uploaded file: its chunks are stored under this id. */
  source: z.object({ id: z.uuid(), parts: z.int().positive() }),
  /** The web page that it was read from, and the source that crawls it. */
  page: z.object({ url: z.string(), source: z.uuid() }).optional(),
  /** The searchable revision; while the document is processed again, the previous one. */
  revision: revisionSchema.optional(),
});
export type DocumentRecord = z.infer<typeof documentRecordSchema>;

/** A document to be stored. */
export interface NewDocument {
  title: string;
  mediaType: MediaType;
  bytes: Uint8Array;
  /** A page of a website source. Its changes are not audited: the source is. */
  page?: DocumentRecord["page"];
}

/** The record of a document before its processing. */
export function newDocumentRecord(
  id: string,
  { sent, source, now }: { sent: NewDocument; source: DocumentRecord["source"]; now: number },
): DocumentRecord {
  return {
    v: 1,
    id,
    title: sent.title,
    mediaType: sent.mediaType,
    bytes: sent.bytes.length,
    sha256: createHash("sha256").update(sent.bytes).digest("hex"),
    state: "processing",
    createdAt: now,
    updatedAt: now,
    source,
    ...(sent.page === undefined ? {} : { page: sent.page }),
  };
}

/** What search indexes need of a document. */
export const indexedDocumentSchema = z.object({
  v: z.literal(1),
  title: z.string(),
  /** Of a web page. */
  url: z.string().optional(),
  revision: revisionSchema,
});

/** Work to do on a document. */
export const documentTaskSchema = z.object({
  v: z.literal(1),
  /** A process has claimed it until then; 0 if none has. */
  until: z.int(),
  /** How often it was claimed. */
  tries: z.int().nonnegative(),
});
export type DocumentTask = z.infer<typeof documentTaskSchema>;

/** A task that this process owns while the versionstamp is the same. */
export interface ClaimedTask {
  of: DocumentName;
  key: Deno.KvKey;
  versionstamp: string;
  /** How often it was claimed before. */
  tries: number;
}

/** The document as the API returns it. */
export function toDocument(record: DocumentRecord): Document {
  const { id, title, mediaType, bytes, sha256, state, error, page } = record;
  return {
    id,
    title,
    mediaType,
    bytes,
    ...(sha256 === undefined ? {} : { sha256 }),
    state,
    ...(page === undefined ? {} : { url: page.url, sourceId: page.source }),
    ...(error === undefined ? {} : { error }),
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
  };
}

/** A user's change of a document; processing is not audited. */
export interface AuditedDocumentChange {
  of: DocumentName;
  action: "create" | "replace" | "delete";
  base: KnowledgeBaseRecord;
  before?: DocumentRecord;
  after?: DocumentRecord;
  /** False for pages that a crawl stores or removes. */
  audit?: boolean;
}

/** Adds the audit entry to the step that makes the change, without the document's content. */
export function recordDocumentChange(
  step: Deno.AtomicOperation,
  runtime: Runtime,
  { of: { tenant, id }, action, base, before, after, audit = true }: AuditedDocumentChange,
): void {
  if (!audit) return;
  const name = (after ?? before)?.title ?? "";
  recordChange(step, runtime, {
    ...{ tenant, kind: "document", action, target: { id, name } },
    before: before && auditedFields(before, base),
    after: after && auditedFields(after, base),
  });
}

function auditedFields(
  { title, mediaType, bytes }: DocumentRecord,
  { name: knowledgeBase }: KnowledgeBaseRecord,
) {
  return { title, mediaType, bytes, knowledgeBase };
}
