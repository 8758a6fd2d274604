import type { RunFacts, RunRecord } from "../store/runs/run_record.ts";
import type { NonRunCost } from "./non_run_charges.ts";

/**
 * Follows what is committed to the ledgers by this process. Each event is reported once, after its commit,
 * so that the sums of all processes are those of the store.
 */
export interface BillingObserver {
  onAdmitted(run: RunFacts): void;
  onSettled(run: RunRecord): void;
  /** Models were used outside of runs. */
  onCharged(used: readonly NonRunCost[]): void;
  /** A process died with money reserved outside of runs, which is charged to its tenant; micro-USD. */
  onAbandoned(cost: number): void;
}
