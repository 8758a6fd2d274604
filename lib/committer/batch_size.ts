import { DEFAULT_MAX_CHECKS, learnMaxChecks } from "./store_error.ts";

/** Keys of a batch: halved after a conflict, slowly regained after a commit. */
const MIN_KEYS = 4;
const REGAINED_KEYS = 4;

/**
 * How large the next batch may be. It adapts to three things: conflicts with other processes, the number
 * of checks that the store takes in one atomic, and entries whose stated sizes were wrong.
 */
export class BatchSize {
  /** Checks that the store takes, as far as its refusals have shown. */
  #maxChecks = DEFAULT_MAX_CHECKS;
  #keys = DEFAULT_MAX_CHECKS;
  #entries = Infinity;

  /** Keys that a batch may check, at most. */
  get keys(): number {
    return this.#keys;
  }

  /** Entries that a batch may hold, at most. */
  get entries(): number {
    return this.#entries;
  }

  /** A batch was committed. */
  committed(): void {
    this.#keys = Math.min(this.#maxChecks, this.#keys + REGAINED_KEYS);
    this.#entries *= 2;
  }

  /** Another process was faster. */
  conflicted(): void {
    const half = Math.max(MIN_KEYS, Math.floor(this.#keys / 2));
    this.#keys = Math.min(this.#maxChecks, half);
  }

  /** A batch of `entries` holds one that is invalid: fewer are tried until it is found. */
  divided(entries: number): void {
    this.#entries = Math.floor(entries / 2);
  }

  /** Whether `error` shows that the store takes fewer than the `checks` that were sent. */
  learn(error: unknown, checks: number): boolean {
    const learned = learnMaxChecks(error, checks);
    if (learned === undefined) return false;
    this.#maxChecks = learned;
    this.#keys = Math.min(this.#keys, learned);
    return true;
  }
}
