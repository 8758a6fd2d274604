import { type Runtime, setTimer } from "../platform/runtime.ts";

/** Calls back after a silence. Its restarts share one timer: a stream restarts it with every frame. */
export class IdleTimer {
  readonly #runtime: Pick<Runtime, "now" | "sleep">;
  readonly #ms: number;
  readonly #onIdle: () => void;
  #since = 0;
  #isStopped = false;
  #cancelTimer: (() => void) | undefined;

  constructor(
    runtime: Pick<Runtime, "now" | "sleep">,
    { ms, onIdle }: { ms: number; onIdle: () => void },
  ) {
    this.#runtime = runtime;
    this.#ms = ms;
    this.#onIdle = onIdle;
  }

  /** Starts to wait from now, once for `onIdle`. */
  restart(): void {
    this.#since = this.#runtime.now();
    if (!this.#isStopped && this.#cancelTimer === undefined) this.#watch(this.#ms);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer?.();
  }

  #watch(ms: number): void {
    this.#cancelTimer = setTimer(this.#runtime, ms, () => {
      const rest = this.#since + this.#ms - this.#runtime.now();
      if (rest > 0) return this.#watch(rest);
      this.#cancelTimer = undefined;
      this.#onIdle();
    });
  }
}
