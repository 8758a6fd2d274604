import { z } from "zod";

/** How long a run can be followed after its end. */
export const LOG_KEPT_MS = 10 * 60_000;
/** Parts of a log are garbage this long after they were written: no run lasts longer than 2 minutes. */
export const CHUNK_KEPT_MS = 30 * 60_000;

/** What is known of a run's log, and who may follow it. Times in milliseconds. */
export const runHeadSchema = z.object({
  v: z.literal(1),
  runId: z.string(),
  tenant: z.string(),
  agentId: z.string(),
  /** The page of the session that began it. */
  origin: z.string().optional(),
  /** The credential that began it. */
  source: z.object({ kind: z.enum(["key", "session"]), id: z.string() }),
  /** The process that runs it. */
  owner: z.string(),
  /** `interrupted`: its process died, and what is stored is all there is. */
  state: z.enum(["running", "done", "interrupted"]),
  /** How many parts and frames are stored. */
  chunks: z.int().nonnegative(),
  frames: z.int().nonnegative(),
  /** After this the log is gone, whatever the store still holds. */
  exp: z.int().optional(),
});
export type RunHead = z.infer<typeof runHeadSchema>;

/** The log of a run that has just been let in. */
export function newRunHead(
  of: Pick<RunHead, "runId" | "tenant" | "agentId" | "origin" | "source" | "owner">,
): RunHead {
  return { v: 1, ...of, state: "running", chunks: 0, frames: 0 };
}
