import { z } from "zod";
import type { ConversationName } from "../keys/keys.ts";
import { bytesSchema } from "../values/chunks.ts";

/** The run that an entry stands for. */
const runSchema = z.object({
  runId: z.string(),
  id: z.string(),
  agentId: z.string(),
  page: z.string(),
  /** Its number in the conversation. */
  n: z.int().nonnegative(),
  /** When it ended. */
  at: z.int(),
  exp: z.int(),
});
export type IndexedRun = z.infer<typeof runSchema>;

/** A run with the keyed hashes of its terms, until it becomes part of a segment. */
export const recentRunSchema = runSchema.extend({ v: z.literal(1), terms: bytesSchema });
export type RecentRun = z.infer<typeof recentRunSchema>;

/** The runs of a segment by number; deleted ones are `null`. */
export const segmentSchema = z.object({ v: z.literal(1), runs: z.array(runSchema.nullable()) });
export type Segment = z.infer<typeof segmentSchema>;

/** What the runs of a segment have in common, to skip it without reading it. */
export const spanSchema = z.object({
  v: z.literal(1),
  /** When the first and the last of them ended. */
  from: z.int(),
  to: z.int(),
  /** Absent if there are too many. */
  agents: z.array(z.string()).optional(),
});
export type Span = z.infer<typeof spanSchema>;

export const bucketSchema = z.object({ v: z.literal(1), postings: bytesSchema });
export const placeSchema = z.object({ v: z.literal(1), segment: z.int().nonnegative() });

/** How far a tenant's index has come. Every change of a segment changes it, so that none is lost. */
export const searchStateSchema = z.object({
  v: z.literal(1),
  /** Conversations updated before this are indexed, milliseconds. */
  through: z.int().nonnegative(),
  /** The number of the next segment. */
  next: z.int().nonnegative(),
  /** Runs outside segments, at most. */
  recent: z.int().nonnegative(),
  /** Identifies the key of the hashes: with another key, the index starts again. */
  keyMark: z.string(),
});
export type SearchState = z.infer<typeof searchStateSchema>;

export function nameOf(tenant: string, { id, agentId, page }: IndexedRun): ConversationName {
  return { tenant, id, agentId, page };
}
