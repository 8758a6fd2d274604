import type { Conversation } from "../store/conversations/conversation_record.ts";
import type { RunWithTranscript } from "../store/conversations/conversation_store.ts";
import {
  branchesWithNext,
  currentPath,
  isOnPath,
  type RunPath,
} from "../store/conversations/current_path.ts";

/** A stored run, and whether it is outside the current path. */
export type MarkedRun = RunWithTranscript & { superseded: boolean };

export interface MarkOptions {
  /** The conversation as it was before the runs were read; `undefined` before its first run has ended. */
  head: Conversation | undefined;
  /** The number of the run that the message being answered replaces. */
  replacing?: number | undefined;
  /** Reads the conversation again. */
  reread: () => Promise<Conversation | undefined>;
}

/** Marks the runs that are not on the current path of their conversation. */
export async function markSuperseded(
  runs: readonly RunWithTranscript[],
  { head, replacing, reread }: MarkOptions,
): Promise<MarkedRun[]> {
  const path = await findPath(runs, { head, replacing, reread });
  return runs.map((run) => ({ ...run, superseded: path !== undefined && !isOnPath(path, run.n) }));
}

async function findPath(
  runs: readonly RunWithTranscript[],
  { head, replacing, reread }: MarkOptions,
): Promise<RunPath | undefined> {
  const last = runs.at(-1)?.n ?? -1;
  const isOld = head === undefined || last > head.next - (replacing === undefined ? 1 : 0);
  if (isOld) {
    const later = await reread();
    return later && currentPath(later);
  }
  if (replacing === undefined) return currentPath(head);
  // The answer that is being written gets the next number.
  return currentPath({ next: head.next + 1, branches: branchesWithNext(head, replacing) });
}
