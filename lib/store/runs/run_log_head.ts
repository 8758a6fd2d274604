import { z } from "zod";
import { runSourceSchema } from "./run_record.ts";
import { bytesSchema, type Chunk, joinChunks, splitChunks } from "../values/chunks.ts";

/** How long a run can be followed after its end. */
export const LOG_TTL_MS = 10 * 60_000;
/** Parts of a log are garbage this long after they were written: no run lasts longer than 2 minutes. */
export const CHUNK_TTL_MS = 30 * 60_000;
/** Where its words are kept anyway: so long may nobody be there to settle the run of a dead process. */
export const LONG_CHUNK_TTL_MS = 24 * 60 * 60_000;
/** Ends of an interrupted run that are remembered: one for each place its clients had come to. */
const MAX_REPORTED_ENDS = 64;
/** What is no more than this lies in the record itself: most answers need no part of their own. */
const MAX_TAIL_BYTES = 8 * 1024;

const NO_BYTES = new Uint8Array();

/**
 * What is stored of a run's frames: JSON lines in UTF-8, first in parts, then in the tail; encrypted.
 * While a run goes on its record says how its log began, and each batch of frames is a part of its own
 * after that: nothing that was stored is written again.
 */
const logStateShape = {
  /** The process that runs it. */
  owner: z.string(),
  /** The page of the session that began it. */
  origin: z.string().optional(),
  /** There may be more parts than `chunks`: the log is as long as there are. Set while the run goes on. */
  open: z.literal(true).optional(),
  /** How many parts are stored; none of an open log. */
  chunks: z.int().nonnegative(),
  /** How many frames are stored, in parts and tail together; none of an open log. */
  frames: z.int().nonnegative(),
  /** Frames that have not come to a part yet: where they do, they begin the next one. */
  tail: bytesSchema,
};
export const logStateSchema = z.object(logStateShape);
export type LogState = z.infer<typeof logStateSchema>;

/** What is known of a run's log, and who may follow it. Times in milliseconds. */
export const runLogHeadSchema = z.object({
  v: z.literal(1),
  runId: z.string(),
  tenant: z.string(),
  agentId: z.string(),
  /** The credential that began it. */
  source: runSourceSchema,
  ...logStateShape,
  /** `interrupted`: its process died, and what is stored is all there is. */
  state: z.enum(["running", "done", "interrupted"]),
  /** Of an interrupted run: the numbers that `done` has had for those who were told of it. */
  told: z.array(z.int().positive()).optional(),
  /** After this the log is gone, whatever the store still holds. */
  exp: z.int().optional(),
});
export type RunLogHead = z.infer<typeof runLogHeadSchema>;

/** The log of a run that has just been let in. */
export function newLog(of: Pick<LogState, "owner" | "origin">): LogState {
  return { ...of, open: true, chunks: 0, frames: 0, tail: NO_BYTES };
}

/** A log to which nothing is added any more, with so many parts and frames where they are given. */
export function closedLog(
  { open: _open, ...log }: LogState,
  stored: Partial<Pick<LogState, "chunks" | "frames">> = {},
): LogState {
  return { ...log, ...stored };
}

/** The log with `frames` more, which are the given bytes, and the parts that are to be stored with it. */
export function appendLog(
  log: LogState,
  { frames, bytes }: { frames: number; bytes: readonly Uint8Array[] },
): { log: LogState; parts: Chunk[] } {
  const tail = joinChunks([log.tail, ...bytes]);
  const grown = { ...log, frames: log.frames + frames };
  if (tail.length <= MAX_TAIL_BYTES) return { log: { ...grown, tail }, parts: [] };
  const parts = splitChunks(tail);
  return { log: { ...grown, tail: NO_BYTES, chunks: log.chunks + parts.length }, parts };
}

/** The head of an interrupted run whose `done` was numbered `n` for a follower; itself when that is known. */
export function withReportedEnd(head: RunLogHead, n: number): RunLogHead {
  const { told = [] } = head;
  if (told.includes(n)) return head;
  return { ...head, told: [...told, n].slice(-MAX_REPORTED_ENDS) };
}
