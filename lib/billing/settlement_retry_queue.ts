import { StoreUnavailableError } from "../store/tx/operation.ts";
import type { Settlement } from "./decide_settlement.ts";

/** Maximum settlements in the queue; the runs beyond it are settled as orphaned. */
const MAX_WAITING = 1_000;

/** A settlement without its time, which is that of each attempt. */
export type PendingSettlement = Omit<Settlement, "now">;

/**
 * Settlements to be retried while the run's lease lasts, so that a store that is unavailable for seconds
 * costs a tenant neither a slot nor a run's whole hold.
 */
export class SettlementRetryQueue {
  #waiting = new Map<string, PendingSettlement>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Queues a settlement if it failed because the store was unavailable. */
  add(settlement: PendingSettlement, error: unknown): void {
    if (!(error instanceof StoreUnavailableError)) return;
    if (this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.set(settlement.activeRun.run.runId, settlement);
  }

  /** Retries all; those that the store rejects stay queued. */
  async retry(settle: (settlement: PendingSettlement) => Promise<unknown>): Promise<void> {
    await Promise.all(
      [...this.#waiting].map(async ([runId, settlement]) => {
        try {
          await settle(settlement);
        } catch (error) {
          if (error instanceof StoreUnavailableError) return;
        }
        this.#waiting.delete(runId);
      }),
    );
  }
}
