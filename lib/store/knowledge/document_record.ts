import { z } from "zod";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { type Document, documentSchema } from "../../schemas/knowledge.ts";
import type { DocumentName } from "../keys/keys.ts";
import { recordChange } from "../audit/audit_record.ts";
import type { KnowledgeBaseRecord } from "./knowledge_base_record.ts";

/** One reading of a document: its passages stand in so many parts under its id. */
const revisionSchema = z.object({
  id: z.uuid(),
  parts: z.int().positive(),
  chunks: z.int().positive(),
  /** Of its parts; absent where it was stored before bytes were counted. */
  bytes: z.int().nonnegative().optional(),
});
export type Revision = z.infer<typeof revisionSchema>;

/** A document as it is stored, without what was sent and what was made of it. */
export const documentRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  title: z.string(),
  mediaType: documentSchema.shape.mediaType,
  bytes: z.int().nonnegative(),
  state: documentSchema.shape.state,
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** What was sent: its parts stand under this id. */
  source: z.object({ id: z.uuid(), parts: z.int().positive() }),
  /** What can be found of it; while it is read again, that of the reading before. */
  revision: revisionSchema.optional(),
});
export type DocumentRecord = z.infer<typeof documentRecordSchema>;

/** What of a document is to be found: all that an index must know to keep up. */
export const indexedDocumentSchema = z.object({
  v: z.literal(1),
  title: z.string(),
  revision: revisionSchema,
});

/** Work on a document that somebody does, or is to do. */
export const documentTaskSchema = z.object({
  v: z.literal(1),
  /** Until then it is somebody's; 0 when nobody has taken it yet. */
  until: z.int(),
  /** How often it has been taken. */
  tries: z.int().nonnegative(),
});
export type DocumentTask = z.infer<typeof documentTaskSchema>;

/** A task that is this process's as long as the versionstamp holds. */
export interface ClaimedTask {
  of: DocumentName;
  key: Deno.KvKey;
  versionstamp: string;
  /** How often it had been taken before. */
  tries: number;
}

/** The document as the interface tells of it. */
export function toDocument(record: DocumentRecord): Document {
  const { id, title, mediaType, bytes, state, error } = record;
  return {
    id,
    title,
    mediaType,
    bytes,
    state,
    ...(error === undefined ? {} : { error }),
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
  };
}

/** A change of a document that somebody has made; reading it is the service's own. */
export interface AuditedDocumentChange {
  of: DocumentName;
  action: "create" | "replace" | "delete";
  base: KnowledgeBaseRecord;
  before?: DocumentRecord;
  after?: DocumentRecord;
}

/** Adds the audit log's entry to the step that makes the change. What the document says is not in it. */
export function recordDocumentChange(
  step: Deno.AtomicOperation,
  runtime: Runtime,
  { of: { tenant, id }, action, base, before, after }: AuditedDocumentChange,
): void {
  const name = (after ?? before)?.title ?? "";
  recordChange(step, runtime, {
    ...{ tenant, kind: "document", action, target: { id, name } },
    before: before && auditedDocumentFields(before, base),
    after: after && auditedDocumentFields(after, base),
  });
}

function auditedDocumentFields(
  { title, mediaType, bytes }: DocumentRecord,
  { name: knowledgeBase }: KnowledgeBaseRecord,
) {
  return { title, mediaType, bytes, knowledgeBase };
}
