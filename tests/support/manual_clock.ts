import type { Runtime } from "@/lib/platform/runtime.ts";
import { FakeRuntime } from "./fake_runtime.ts";

/** Shorter sleeps pace retries and readers; longer ones are timeouts. */
const PACING_MS = 1_000;

/**
 * Time for a whole service over real sockets: the test moves the clock, which wakes sleeps that are
 * due. Pacing ends immediately.
 */
export class ManualClock {
  readonly #still: FakeRuntime;
  readonly #start: number;
  /** Due time of each sleep, in milliseconds after the start. */
  readonly #due: number[] = [];
  readonly #waiting: { due: number; resolve: () => void }[] = [];

  constructor(start = Date.UTC(2026, 0, 15, 12)) {
    this.#start = start;
    this.#still = new FakeRuntime(start);
  }

  get runtime(): Pick<Runtime, "now" | "sleep"> {
    return { now: this.#still.now, sleep: this.#sleep };
  }

  /** Moves time, waking sleepers in order. */
  advance(ms: number): Promise<void> {
    return this.#still.advance(ms);
  }

  /** Settles when something sleeps, or has slept, until `due` (milliseconds after the start). */
  asleepUntil(due: number): Promise<void> {
    if (this.#due.includes(due)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ due, resolve }));
  }

  readonly #sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms < PACING_MS) return signal?.aborted ? Promise.reject(signal.reason) : Promise.resolve();
    const due = this.#still.now() - this.#start + ms;
    const slept = this.#still.sleep(ms, signal);
    this.#due.push(due);
    for (const one of this.#waiting) if (one.due === due) one.resolve();
    return slept;
  };
}
