import { CANCELLED, type Runtime } from "../platform/runtime.ts";

/** Followers through other processes are recorded at least this often. */
const RECORD_INTERVAL_MS = 10_000;

export interface FollowersOptions {
  runtime: Runtime;
  /** A run without followers for this long is abandoned, milliseconds. */
  abandonedAfterMs: number;
  /** True if a client has followed the run through another process since the last call. */
  isFollowedElsewhere: () => Promise<boolean>;
  onAbandoned: () => void;
}

/**
 * Counts a run's followers. A dropped client may come back, so it does not stop the run; a run without
 * followers for a while is stopped, so that an abandoned page does not cost money.
 */
export class Followers {
  #count = 0;
  #waiting: AbortController | undefined;
  #options: FollowersOptions;

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  enter(): void {
    this.#count++;
    this.settle();
  }

  leave(): void {
    this.#count--;
    if (this.#count === 0) this.#wait(this.#options.abandonedAfterMs);
  }

  /** Cancels the wait, because a follower is back or the run has ended. */
  settle(): void {
    this.#waiting?.abort(CANCELLED);
    this.#waiting = undefined;
  }

  #wait(ms: number): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    const { runtime, abandonedAfterMs, isFollowedElsewhere, onAbandoned } = this.#options;
    runtime.sleep(ms, waiting.signal).then(async () => {
      // An unavailable store must not keep an abandoned run going.
      const isFollowed = await isFollowedElsewhere().catch(() => false);
      if (waiting.signal.aborted) return;
      if (isFollowed) this.#wait(Math.max(abandonedAfterMs, RECORD_INTERVAL_MS));
      else onAbandoned();
    }, () => {});
  }
}
