/** Maximum number of names; the least recently used one is evicted. */
const MAX_NAMES = 10_000;

/**
 * Counts attempts by name in a sliding window, in this process's memory. When there are too many
 * names the oldest are forgotten: refusing new ones would let a stranger with many addresses lock
 * everyone else out.
 */
export class SlidingWindowLimiter {
  #limit: number;
  #windowMs: number;
  #attempts = new Map<string, number[]>();

  constructor(options: { limit: number; windowMs: number }) {
    this.#limit = options.limit;
    this.#windowMs = options.windowMs;
  }

  /** Counts one attempt at `now` (milliseconds); 0 when it may proceed, else milliseconds to wait. */
  take(name: string, now: number): number {
    const recent = (this.#attempts.get(name) ?? []).filter((at) => at > now - this.#windowMs);
    if (recent.length >= this.#limit) return recent[0]! + this.#windowMs - now;
    this.#attempts.delete(name);
    this.#attempts.set(name, [...recent, now]);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > MAX_NAMES) this.#attempts.delete(oldest!);
    return 0;
  }

  /** Takes back the attempt that was counted at `at`. */
  refund(name: string, at: number): void {
    const attempts = this.#attempts.get(name);
    const index = attempts?.lastIndexOf(at) ?? -1;
    if (attempts === undefined || index < 0) return;
    attempts.splice(index, 1);
    if (attempts.length === 0) this.#attempts.delete(name);
  }
}
