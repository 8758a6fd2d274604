import { z } from "zod";
import { isoTime } from "../../platform/runtime.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import { type KnowledgeBase, knowledgeLanguageSchema } from "../../schemas/knowledge.ts";

const count = z.int().nonnegative();

export const knowledgeBaseRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  name: z.string(),
  description: z.string().optional(),
  /** The owner's choice. A code that this release does not know counts as none. */
  language: knowledgeLanguageSchema.optional().catch(undefined),
  /** From 1; increases with every change of the base or of its searchable content. */
  version: count,
  /** From 1; increases with every change of the base's own fields. Absent in records of early releases. */
  revision: z.int().positive().optional(),
  documents: count,
  chunks: count,
  /** The total size of the uploaded files. */
  sourceBytes: count,
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type KnowledgeBaseRecord = z.infer<typeof knowledgeBaseRecordSchema>;

/** Differences of a base's counts. */
export type KnowledgeBaseChange = { documents?: number; chunks?: number; sourceBytes?: number };

/** The base after a change of its documents, as a new version. */
export function applyChange(
  base: KnowledgeBaseRecord,
  { documents = 0, chunks = 0, sourceBytes = 0, now }: KnowledgeBaseChange & { now: number },
): KnowledgeBaseRecord {
  return {
    ...base,
    documents: base.documents + documents,
    chunks: base.chunks + chunks,
    sourceBytes: base.sourceBytes + sourceBytes,
    version: base.version + 1,
    updatedAt: now,
  };
}

/** Why a base cannot take another document of `bytes`, as a predicate to follow its name. */
export function documentRejection(base: KnowledgeBaseRecord, bytes: number): string | undefined {
  const { documentsPerBase, chunksPerBase } = KNOWLEDGE_BOUNDS;
  const number = (n: number) => n.toLocaleString("en");
  if (base.documents >= documentsPerBase) {
    return `has ${number(documentsPerBase)} documents, which is the most it takes`;
  }
  if (base.chunks >= chunksPerBase) {
    return `has ${number(chunksPerBase)} passages, which is the most it takes`;
  }
  return sizeRejection(base, bytes);
}

/** Why a base's documents cannot grow by `bytes`, as a predicate to follow its name. */
export function sizeRejection(base: KnowledgeBaseRecord, bytes: number): string | undefined {
  const { sourceBytesPerBase } = KNOWLEDGE_BOUNDS;
  if (base.sourceBytes + bytes <= sourceBytesPerBase) return undefined;
  return `takes documents of ${sourceBytesPerBase / 1_048_576} MiB in all`;
}

/** The base as the API returns it. */
export function toKnowledgeBase(record: KnowledgeBaseRecord): KnowledgeBase {
  const { id, name, description, language, documents, chunks } = record;
  return {
    id,
    name,
    ...(description === undefined ? {} : { description }),
    ...(language === undefined ? {} : { language }),
    documentCount: documents,
    chunkCount: chunks,
    version: record.revision ?? 1,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
  };
}
