import { z } from "zod";
import { bytesSchema, type Chunk, concatBytes, splitChunks } from "../values/chunks.ts";
import { keepsNothing, type RunFacts, runSourceSchema } from "./run_record.ts";

/** How long a run can be followed after its end. */
export const LOG_TTL_MS = 10 * 60_000;
/** Chunks of a log expire this long after they were written; no run lasts more than 2 minutes. */
export const CHUNK_TTL_MS = 30 * 60_000;
/** The same for a run that keeps nothing: its 2 minutes, its log's 10, and some to be settled in. */
const SHORT_CHUNK_TTL_MS = 14 * 60_000;
/** The same for a run with a stored conversation: it may have to wait this long to be settled. */
export const LONG_CHUNK_TTL_MS = 24 * 60 * 60_000;
/** Reported ends of an interrupted run: one for each position its clients had reached. */
const MAX_REPORTED_ENDS = 64;
/** A tail up to this size is stored in the record itself: most runs need no chunk. */
const MAX_TAIL_BYTES = 8 * 1024;

const NO_BYTES = new Uint8Array();

/** How long the store holds a chunk of a log, milliseconds. */
export function logChunkTtl(
  facts: Pick<RunFacts, "retentionDays">,
  isConversationStored: boolean,
): number {
  if (keepsNothing(facts)) return SHORT_CHUNK_TTL_MS;
  return isConversationStored ? LONG_CHUNK_TTL_MS : CHUNK_TTL_MS;
}

/** How long the store holds the head of an ended log, milliseconds: longer than it is valid, as clocks differ. */
export function logHeadTtl(facts: Pick<RunFacts, "retentionDays">): number {
  return keepsNothing(facts) ? LOG_TTL_MS : 2 * LOG_TTL_MS;
}

/**
 * The stored frames of a run: JSON lines in UTF-8, encrypted, first in chunks and then in the tail. While
 * the run is active, its record has the log's initial state, and each batch of frames adds a chunk, so that
 * nothing is written twice.
 */
const logStateShape = {
  /** The process that owns the run. */
  owner: z.string(),
  /** The page of the session that started it. */
  origin: z.string().optional(),
  /** Set while the run is active: there may be more chunks than `chunks`. */
  open: z.literal(true).optional(),
  /** The number of stored chunks; 0 for an open log. */
  chunks: z.int().nonnegative(),
  /** The number of frames in chunks and tail together; 0 for an open log. */
  frames: z.int().nonnegative(),
  /** Frames that are in no chunk yet; the next chunk begins with them. */
  tail: bytesSchema,
};
export const logStateSchema = z.object(logStateShape);
export type LogState = z.infer<typeof logStateSchema>;

/** The state of a run's log, and who may follow it. Times in milliseconds. */
export const runLogHeadSchema = z.object({
  v: z.literal(1),
  runId: z.string(),
  tenant: z.string(),
  agentId: z.string(),
  /** The credential that started it. */
  source: runSourceSchema,
  visitor: z.string().optional(),
  traceparent: z.string().optional(),
  ...logStateShape,
  /** `interrupted`: the owner process died, and the stored frames are all there are. */
  state: z.enum(["running", "done", "interrupted"]),
  /** Of an interrupted run: the frame numbers that `done` had for its followers. */
  told: z.array(z.int().positive()).optional(),
  /** The log's end of life, whatever the store still holds. */
  exp: z.int().optional(),
});
export type RunLogHead = z.infer<typeof runLogHeadSchema>;

/** The log of a run that was just admitted. */
export function newLog(of: Pick<LogState, "owner" | "origin">): LogState {
  return { ...of, open: true, chunks: 0, frames: 0, tail: NO_BYTES };
}

/** The log without further additions, and with the given numbers of chunks and frames. */
export function closedLog(
  { open: _open, ...log }: LogState,
  stored: Partial<Pick<LogState, "chunks" | "frames">> = {},
): LogState {
  return { ...log, ...stored };
}

/** Appends `frames` encoded frames; returns the log and the chunks to be stored with it. */
export function appendLog(
  log: LogState,
  { frames, bytes }: { frames: number; bytes: readonly Uint8Array[] },
): { log: LogState; parts: Chunk[] } {
  const tail = concatBytes([log.tail, ...bytes]);
  const next = { ...log, frames: log.frames + frames };
  if (tail.length <= MAX_TAIL_BYTES) return { log: { ...next, tail }, parts: [] };
  const parts = splitChunks(tail);
  return { log: { ...next, tail: NO_BYTES, chunks: log.chunks + parts.length }, parts };
}

/** Adds the number that `done` had for a follower of an interrupted run; the same object if known. */
export function withReportedEnd(head: RunLogHead, n: number): RunLogHead {
  const { told = [] } = head;
  if (told.includes(n)) return head;
  return { ...head, told: [...told, n].slice(-MAX_REPORTED_ENDS) };
}
