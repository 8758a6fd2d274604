import type { DeadRuns } from "@/lib/billing/dead_runs.ts";
import { SILENT_MS } from "@/lib/billing/lease_watch.ts";

/** Lets a process find dead runs: it looks, sees nothing change for so long, and looks again. */
export async function sweepOrphaned(
  deadRuns: DeadRuns,
  advance: (ms: number) => void | Promise<void>,
): Promise<void> {
  await deadRuns.sweep();
  await advance(SILENT_MS);
  await deadRuns.sweep();
}
