import type { Runtime } from "../../platform/runtime.ts";
import type { ContentionTracker } from "./contention_tracker.ts";
import type { KvCache } from "./kv_cache.ts";
import { StoreUnavailableError } from "./operation.ts";
import type { RetryPolicy } from "./retry_policy.ts";
import { currentStoreDeadline } from "./store_deadline.ts";
import { isInvalidCall } from "./store_error.ts";

type Keys = ReadonlyMap<string, Deno.KvKey>;

/** After this many failures in a row a read gives up, even before its time is over. */
export const MAX_FAILURES = 60;

/** Reads what callers of a committer wait for into its memory, no longer than each of them may wait. */
export class CacheLoader {
  readonly #cache: KvCache;
  readonly #contention: ContentionTracker;
  readonly #patience: RetryPolicy;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(
    documents: KvCache,
    parts: {
      contention: ContentionTracker;
      retryPolicy: RetryPolicy;
      runtime: Pick<Runtime, "now">;
    },
  ) {
    this.#cache = documents;
    this.#contention = parts.contention;
    this.#patience = parts.retryPolicy;
    this.#runtime = parts.runtime;
  }

  /** Reads what is missing; false if the store did not answer, so that the caller has to try again. */
  async tryLoad(keys: Keys): Promise<boolean> {
    try {
      await this.#patience.withCallerDeadline(this.#cache.load(keys));
      return true;
    } catch (error) {
      this.#cache.abandonReads();
      if (currentStoreDeadline()?.isExpired) throw error;
      return false;
    }
  }

  /** Reads again what other processes are likely to have changed, unless that was done after `since`. */
  async reloadContended(all: Keys, since: number): Promise<void> {
    const doubtful = this.#contention.findContended(all, { documents: this.#cache, since });
    if (doubtful.size === 0) return;
    const keys = new Map([...doubtful].map(([text, { key }]) => [text, key]));
    const reading = this.#cache.load(keys, this.#cache.tick);
    // What cannot be read now is relied on as it is: the commit checks it.
    await this.#patience.withCallerDeadline(reading).catch((error) => {
      this.#cache.abandonReads();
      if (currentStoreDeadline()?.isExpired) throw error;
    });
    this.#contention.compare(doubtful, this.#cache);
  }

  /** Reads what was not seen after `since`; throws `StoreUnavailableError` when the store stays silent. */
  loadWithRetry(keys: Keys, since: number): Promise<void> {
    return this.#withRetry(() => this.#cache.load(keys, since));
  }

  /** The values of up to 10 keys, all as the store has them at one moment from now on. */
  readSnapshot(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    return this.#withRetry(() => this.#cache.readSnapshot(keys));
  }

  /** Retries a read, because a store can be locked for a moment. */
  async #withRetry<T>(read: () => Promise<T>): Promise<T> {
    const deadline = this.#runtime.now() + this.#patience.timeoutMs;
    for (let failures = 0;;) {
      try {
        return await this.#patience.withCallerDeadline(read());
      } catch (cause) {
        this.#cache.abandonReads();
        if (isInvalidCall(cause)) throw cause;
        const isOver = currentStoreDeadline()?.isExpired || this.#runtime.now() >= deadline;
        if (++failures >= MAX_FAILURES || isOver) {
          throw new StoreUnavailableError("the store does not answer", { cause });
        }
        await this.#patience.backOff(failures);
      }
    }
  }
}
