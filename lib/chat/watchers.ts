import { CANCELLED, type Runtime } from "../platform/runtime.ts";

/** Who follows a run through another process says so at least this often. */
const SAID_EVERY_MS = 10_000;

export interface WatchersOptions {
  runtime: Runtime;
  /** Nobody following for this long, milliseconds, ends the run. */
  unwatchedMs: number;
  /** Whether somebody has said since it was last asked to follow it through another process. */
  isWatchedElsewhere: () => Promise<boolean>;
  onAbandoned: () => void;
}

/**
 * Counts who follows a run. A dropped client does not stop it, it may come back; a run that nobody
 * has followed for a while is stopped, so that an abandoned page does not go on spending.
 */
export class Watchers {
  #count = 0;
  #waiting: AbortController | undefined;
  #options: WatchersOptions;

  constructor(options: WatchersOptions) {
    this.#options = options;
  }

  enter(): void {
    this.#count++;
    this.settle();
  }

  leave(): void {
    this.#count--;
    if (this.#count === 0) this.#wait(this.#options.unwatchedMs);
  }

  /** Ends the wait: somebody is there again, or the run is over. */
  settle(): void {
    this.#waiting?.abort(CANCELLED);
    this.#waiting = undefined;
  }

  #wait(ms: number): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    const { runtime, unwatchedMs, isWatchedElsewhere, onAbandoned } = this.#options;
    runtime.sleep(ms, waiting.signal).then(async () => {
      // A store that does not answer is no reason to go on spending.
      const isWatched = await isWatchedElsewhere().catch(() => false);
      if (waiting.signal.aborted) return;
      if (isWatched) this.#wait(Math.max(unwatchedMs, SAID_EVERY_MS));
      else onAbandoned();
    }, () => {});
  }
}
