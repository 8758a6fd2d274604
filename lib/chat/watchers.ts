import { CANCELLED, type Runtime } from "../platform/runtime.ts";

/** Followers through other processes are recorded at least this often. */
const RECORD_INTERVAL_MS = 10_000;

export interface WatchersOptions {
  runtime: Runtime;
  /** A run without followers for this long is abandoned, milliseconds. */
  unwatchedMs: number;
  /** True if a client has followed the run through another process since the last call. */
  isWatchedElsewhere: () => Promise<boolean>;
  onAbandoned: () => void;
}

/**
 * Counts a run's followers. A dropped client may come back, so it does not stop the run; a run without
 * followers for a while is stopped, so that an abandoned page does not cost money.
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

  /** Cancels the wait, because a follower is back or the run has ended. */
  settle(): void {
    this.#waiting?.abort(CANCELLED);
    this.#waiting = undefined;
  }

  #wait(ms: number): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    const { runtime, unwatchedMs, isWatchedElsewhere, onAbandoned } = this.#options;
    runtime.sleep(ms, waiting.signal).then(async () => {
      // An unavailable store must not keep an abandoned run going.
      const isWatched = await isWatchedElsewhere().catch(() => false);
      if (waiting.signal.aborted) return;
      if (isWatched) this.#wait(Math.max(unwatchedMs, RECORD_INTERVAL_MS));
      else onAbandoned();
    }, () => {});
  }
}
