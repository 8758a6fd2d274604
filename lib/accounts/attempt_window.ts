/** Names that are remembered at most; beyond it new ones are refused until old ones lapse. */
const MAX_NAMES = 10_000;

/** Counts tries by name in a sliding window, in this process's memory. */
export class AttemptWindow {
  #limit: number;
  #windowMs: number;
  #tries = new Map<string, number[]>();

  constructor(options: { limit: number; windowMs: number }) {
    this.#limit = options.limit;
    this.#windowMs = options.windowMs;
  }

  /** Counts one try at `now` (milliseconds); 0 when it may go ahead, else milliseconds to wait. */
  take(name: string, now: number): number {
    const recent = this.#recent(name, now);
    if (recent.length >= this.#limit) return recent[0]! + this.#windowMs - now;
    if (recent.length === 0 && this.#tries.size >= MAX_NAMES) this.#forgetLapsed(now);
    if (recent.length === 0 && this.#tries.size >= MAX_NAMES) return this.#windowMs;
    this.#tries.set(name, [...recent, now]);
    return 0;
  }

  #recent(name: string, now: number): number[] {
    return (this.#tries.get(name) ?? []).filter((at) => at > now - this.#windowMs);
  }

  #forgetLapsed(now: number): void {
    for (const name of this.#tries.keys()) {
      if (this.#recent(name, now).length === 0) this.#tries.delete(name);
    }
  }
}
