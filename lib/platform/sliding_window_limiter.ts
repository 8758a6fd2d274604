import { LRUCache } from "lru-cache";

/** Evicting the least recent name keeps one client with many addresses from locking out the rest. */
const MAX_NAMES = 10_000;

/** Counts attempts by name in a sliding window, in this process's memory. */
export class SlidingWindowLimiter {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #attempts = new LRUCache<string, number[]>({ max: MAX_NAMES });

  constructor(options: { limit: number; windowMs: number }) {
    this.#limit = options.limit;
    this.#windowMs = options.windowMs;
  }

  /** Counts one attempt at `now` (milliseconds); 0 if it may proceed, else milliseconds to wait. */
  take(name: string, now: number): number {
    const recent = (this.#attempts.get(name) ?? []).filter((at) => at > now - this.#windowMs);
    if (recent.length >= this.#limit) return recent[0]! + this.#windowMs - now;
    this.#attempts.set(name, [...recent, now]);
    return 0;
  }

  /** Takes back the attempt that was counted at `at`. */
  refund(name: string, at: number): void {
    const attempts = this.#attempts.get(name);
    const index = attempts?.lastIndexOf(at) ?? -1;
    if (index >= 0) attempts!.splice(index, 1);
  }
}
