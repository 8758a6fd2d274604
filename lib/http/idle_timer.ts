import { type Runtime, setTimer } from "../platform/runtime.ts";

/**
 * Tells who waits for something that it has been silent for too long. One timer runs through however
 * many waits there are: a stream waits for every frame, and hardly ever for the whole time.
 */
export class IdleTimer {
  readonly #runtime: Pick<Runtime, "now" | "sleep">;
  readonly #ms: number;
  #since = 0;
  #isOver = false;
  #cancelTimer: (() => void) | undefined;
  #wake: (() => void) | undefined;

  constructor(runtime: Pick<Runtime, "now" | "sleep">, ms: number) {
    this.#runtime = runtime;
    this.#ms = ms;
  }

  /** True once `event` settles; false after so many milliseconds without it, or when it is over. */
  waitFor(event: Promise<void>): Promise<boolean> {
    this.#since = this.#runtime.now();
    if (!this.#isOver && this.#cancelTimer === undefined) this.#watch(this.#ms);
    return new Promise((resolve) => {
      this.#wake = () => resolve(false);
      void event.then(() => resolve(true));
    });
  }

  /** Nobody waits any more. */
  stop(): void {
    this.#isOver = true;
    this.#cancelTimer?.();
    this.#wake?.();
  }

  #watch(ms: number): void {
    this.#cancelTimer = setTimer(this.#runtime, ms, () => {
      const rest = this.#since + this.#ms - this.#runtime.now();
      if (rest > 0) return this.#watch(rest);
      this.#cancelTimer = undefined;
      this.#wake?.();
    });
  }
}
