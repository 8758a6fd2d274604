import { CANCELLED, type Runtime } from "../platform/runtime.ts";

interface Pause {
  /** When the work begins again, milliseconds. */
  due: number;
  wake: () => void;
}

/** Does the same work again and again while it is wanted; the pause is between two of them. */
export class Repeating {
  #runtime: Runtime;
  #everyMs: () => number;
  #work: () => Promise<void>;
  #going: AbortController | undefined;
  #current: Promise<void> = Promise.resolve();
  /** When the last work ended, or the first pause began. */
  #since = 0;
  #pause: Pause | undefined;

  /** Runs `work` every `everyMs`, which may change, first after one interval; a failure is retried then. */
  constructor(
    runtime: Runtime,
    options: { everyMs: number | (() => number); work: () => Promise<void> },
  ) {
    const { everyMs, work } = options;
    this.#runtime = runtime;
    this.#everyMs = typeof everyMs === "number" ? () => everyMs : everyMs;
    this.#work = work;
  }

  start(): void {
    if (this.#going !== undefined) return;
    this.#going = new AbortController();
    this.#next(this.#going.signal);
  }

  /** Re-evaluates the interval after it has become shorter: work that is due by now begins. */
  hurry(): void {
    if (this.#pause !== undefined && this.#due() < this.#pause.due) this.#pause.wake();
  }

  /** No work begins any more; resolves when what is being done is over. */
  async stop(): Promise<void> {
    this.#going?.abort();
    this.#going = undefined;
    await this.#current;
  }

  #due(): number {
    return this.#since + this.#everyMs();
  }

  #next(signal: AbortSignal): void {
    this.#since = this.#runtime.now();
    this.#untilDue(signal).then(async () => {
      await (this.#current = this.#work().catch(() => {}));
      if (!signal.aborted) this.#next(signal);
    }, () => {});
  }

  /** Sleeps until the work is due; the interval may become shorter meanwhile. */
  async #untilDue(signal: AbortSignal): Promise<void> {
    for (let due = this.#due();; due = this.#due()) {
      const woken = new AbortController();
      this.#pause = { due, wake: () => woken.abort(CANCELLED) };
      const either = AbortSignal.any([signal, woken.signal]);
      try {
        return await this.#runtime.sleep(Math.max(0, due - this.#runtime.now()), either);
      } catch (reason) {
        if (signal.aborted) throw reason;
      } finally {
        this.#pause = undefined;
      }
    }
  }
}
