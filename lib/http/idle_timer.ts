import { type Runtime, setTimer } from "../platform/runtime.ts";

/** Waits share one timer: a stream waits for every frame, and almost never the whole time. */
export class IdleTimer {
  readonly #runtime: Pick<Runtime, "now" | "sleep">;
  readonly #ms: number;
  #since = 0;
  #stopped = false;
  #cancelTimer: (() => void) | undefined;
  #wake: (() => void) | undefined;

  constructor(runtime: Pick<Runtime, "now" | "sleep">, ms: number) {
    this.#runtime = runtime;
    this.#ms = ms;
  }

  /** Resolves to true once `event` does; to false when the timer runs out or is stopped. */
  waitFor(event: Promise<void>): Promise<boolean> {
    this.#since = this.#runtime.now();
    if (!this.#stopped && this.#cancelTimer === undefined) this.#watch(this.#ms);
    return new Promise((resolve) => {
      this.#wake = () => resolve(false);
      void event.then(() => resolve(true));
    });
  }

  stop(): void {
    this.#stopped = true;
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
