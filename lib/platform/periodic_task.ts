import { CANCELLED, type Runtime } from "./runtime.ts";

interface PendingWait {
  /** When the work is due, milliseconds. */
  due: number;
  wake: () => void;
}

/** Repeats work until stopped; the interval is the pause between two repetitions. */
export class PeriodicTask {
  #runtime: Runtime;
  #everyMs: () => number;
  #work: () => Promise<void>;
  #running: AbortController | undefined;
  #current: Promise<void> = Promise.resolve();
  /** When the last work ended, or the task started. */
  #waitingSince = 0;
  #wait: PendingWait | undefined;

  /** Runs `work` every `everyMs`, which may change, first after one interval. Errors are ignored. */
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
    if (this.#running !== undefined) return;
    this.#running = new AbortController();
    this.#scheduleNext(this.#running.signal);
  }

  /** To be called when the interval has become shorter; starts the work if it is due by now. */
  reschedule(): void {
    if (this.#wait !== undefined && this.#due() < this.#wait.due) this.#wait.wake();
  }

  /** Stops the task; resolves when work in progress is done. */
  async stop(): Promise<void> {
    this.#running?.abort();
    this.#running = undefined;
    await this.#current;
  }

  #due(): number {
    return this.#waitingSince + this.#everyMs();
  }

  #scheduleNext(signal: AbortSignal): void {
    this.#waitingSince = this.#runtime.now();
    this.#waitUntilDue(signal).then(async () => {
      await (this.#current = this.#work().catch(() => {}));
      if (!signal.aborted) this.#scheduleNext(signal);
    }, () => {});
  }

  /** Sleeps until the work is due; `reschedule` may shorten the sleep. */
  async #waitUntilDue(signal: AbortSignal): Promise<void> {
    for (let due = this.#due();; due = this.#due()) {
      const woken = new AbortController();
      this.#wait = { due, wake: () => woken.abort(CANCELLED) };
      const either = AbortSignal.any([signal, woken.signal]);
      try {
        return await this.#runtime.sleep(Math.max(0, due - this.#runtime.now()), either);
      } catch (reason) {
        if (signal.aborted) throw reason;
      } finally {
        this.#wait = undefined;
      }
    }
  }
}
