const WINDOW_MS = 30;

/**
 * Merges the small deltas of a model into at most one every 30 ms, because a frame per token costs more
 * in transport than in text. A delta after a longer pause is emitted immediately.
 */
export class DeltaCoalescer {
  readonly #emit: (text: string) => void;
  /** Monotonic milliseconds. */
  readonly #now: () => number;
  #pending = "";
  #emittedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(emit: (text: string) => void, { now }: { now: () => number }) {
    this.#emit = emit;
    this.#now = now;
  }

  push(text: string): void {
    if (text === "") return;
    this.#pending += text;
    if (this.#timer !== undefined) return;
    const waitMs = this.#emittedAt + WINDOW_MS - this.#now();
    if (waitMs <= 0) this.#send();
    else this.#timer = setTimeout(() => this.flush(), waitMs);
  }

  /** Emits pending text. Call it before any other frame, to preserve the order. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#send();
  }

  #send(): void {
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#emittedAt = this.#now();
    this.#emit(text);
  }
}
