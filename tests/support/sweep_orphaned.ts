import type { OrphanedRunSweeper } from "@/lib/billing/orphaned_run_sweeper.ts";
import { SILENCE_TIMEOUT_MS } from "@/lib/billing/failure_detector.ts";

/** Makes a process detect orphaned runs: two sweeps without a heartbeat in between. */
export async function sweepOrphaned(
  deadRuns: OrphanedRunSweeper,
  advance: (ms: number) => void | Promise<void>,
): Promise<void> {
  await deadRuns.sweep();
  await advance(SILENCE_TIMEOUT_MS);
  await deadRuns.sweep();
}
