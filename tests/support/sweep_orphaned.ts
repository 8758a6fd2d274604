import type { OrphanedRunSweeper } from "@/lib/billing/orphaned_run_sweeper.ts";
import { SILENCE_TIMEOUT_MS } from "@/lib/billing/failure_detector.ts";

/**
 * Makes a process detect orphaned runs: sweeps without a heartbeat in between. The third one finds what the
 * lost process had still been writing at the first.
 */
export async function sweepOrphaned(
  deadRuns: OrphanedRunSweeper,
  advance: (ms: number) => void | Promise<void>,
): Promise<void> {
  await deadRuns.sweep();
  for (let n = 0; n < 2; n++) {
    await advance(SILENCE_TIMEOUT_MS);
    await deadRuns.sweep();
  }
}
