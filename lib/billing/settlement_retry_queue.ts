import { StoreUnavailableError } from "../store/tx/operation.ts";
import type { Settlement } from "./decide_settlement.ts";

/** Runs whose settlement waits for the store. Those beyond are left to lapse. */
const MAX_WAITING = 1_000;

/** A settlement but for its moment, which is that of each try. */
export type PendingSettlement = Omit<Settlement, "now">;

/**
 * Settlements that could not be made, to be made up for while the run's lease lasts: a store that was
 * away for some seconds costs a tenant neither a slot nor all that a run has held.
 */
export class SettlementRetryQueue {
  #waiting = new Map<string, PendingSettlement>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Remembers a settlement if a store that did not answer is why it failed. */
  add(unsettled: PendingSettlement, failure: unknown): void {
    if (!(failure instanceof StoreUnavailableError)) return;
    if (this.#waiting.size < MAX_WAITING) {
      this.#waiting.set(unsettled.activeRun.run.runId, unsettled);
    }
  }

  /** Tries them all again; those that the store does not take stay. */
  async retry(settle: (unsettled: PendingSettlement) => Promise<unknown>): Promise<void> {
    await Promise.all(
      [...this.#waiting].map(async ([runId, unsettled]) => {
        try {
          await settle(unsettled);
        } catch (error) {
          if (error instanceof StoreUnavailableError) return;
        }
        this.#waiting.delete(runId);
      }),
    );
  }
}
