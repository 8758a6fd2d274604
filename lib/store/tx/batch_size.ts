import { DEFAULT_MAX_CHECKS, learnMaxChecks } from "./store_error.ts";

/**
 * How large the next batch may be. It adapts to the number of checks that the store takes in one atomic,
 * and to entries whose stated sizes were wrong. A conflict with another process does not change it: a
 * contested key conflicts whatever the size of the batch, and small batches made it worse exactly then.
 */
export class BatchSize {
  /** Checks that the store takes, as far as its refusals have shown. */
  #keys = DEFAULT_MAX_CHECKS;
  #entries = Infinity;

  /** Keys that a batch may check, at most. */
  get maxKeys(): number {
    return this.#keys;
  }

  /** Entries that a batch may hold, at most. */
  get maxEntries(): number {
    return this.#entries;
  }

  /** A batch was committed. */
  onCommitted(): void {
    this.#entries *= 2;
  }

  /** A batch of `entries` holds one that is invalid: fewer are tried until it is found. */
  onInvalid(entries: number): void {
    this.#entries = Math.floor(entries / 2);
  }

  /** Whether `error` shows that the store takes fewer than the `checks` that were sent. */
  learnMaxKeys(error: unknown, checks: number): boolean {
    const learned = learnMaxChecks(error, checks);
    if (learned === undefined) return false;
    this.#keys = learned;
    return true;
  }
}
