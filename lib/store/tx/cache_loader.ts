import type { Runtime } from "../../platform/runtime.ts";
import type { ContentionTracker } from "./contention_tracker.ts";
import type { KvCache } from "./kv_cache.ts";
import { StoreUnavailableError } from "./operation.ts";
import type { RetryPolicy } from "./retry_policy.ts";
import { currentStoreDeadline } from "./store_deadline.ts";
import { isInvalidCallError } from "./store_error.ts";

type Keys = ReadonlyMap<string, Deno.KvKey>;

/** After this many failures in a row a read gives up, even before its timeout. */
export const MAX_FAILURES = 60;

interface CacheLoaderDeps {
  cache: KvCache;
  contention: ContentionTracker;
  retryPolicy: RetryPolicy;
  runtime: Pick<Runtime, "now">;
}

/** Reads into the cache what a caller waits for, within the caller's deadline. */
export class CacheLoader {
  readonly #deps: CacheLoaderDeps;

  constructor(deps: CacheLoaderDeps) {
    this.#deps = deps;
  }

  /** Reads what is missing; false if the store failed and the caller has to retry. */
  async tryLoad(keys: Keys): Promise<boolean> {
    const { cache, retryPolicy } = this.#deps;
    try {
      await retryPolicy.withCallerDeadline(cache.load(keys));
      return true;
    } catch (error) {
      this.#onFailure(error);
      return false;
    }
  }

  /** Reads again what other processes are likely to have changed, unless it was read after `since`. */
  async reloadContended(all: Keys, since: number): Promise<void> {
    const { cache, contention, retryPolicy } = this.#deps;
    const contended = contention.findContended(all, { cache, since });
    if (contended.size === 0) return;
    const keys = new Map([...contended].map(([text, { key }]) => [text, key]));
    // If the read fails the cached value is used: the commit checks it anyway.
    await retryPolicy.withCallerDeadline(cache.load(keys, cache.tick))
      .catch((error) => this.#onFailure(error));
    contention.compare(contended, cache);
  }

  /** Reads what was not seen after `since`; throws `StoreUnavailableError` after the timeout. */
  loadWithRetry(keys: Keys, since: number): Promise<void> {
    return this.#withRetry(() => this.#deps.cache.load(keys, since));
  }

  /** The values of up to 10 keys in one consistent snapshot of the store. */
  readSnapshot(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    return this.#withRetry(() => this.#deps.cache.readSnapshot(keys));
  }

  #onFailure(error: unknown): void {
    this.#deps.cache.abandonReads();
    if (currentStoreDeadline()?.isExpired) throw error;
  }

  /** Retries a read, because a store can be locked for a moment. */
  async #withRetry<T>(read: () => Promise<T>): Promise<T> {
    const { cache, retryPolicy, runtime } = this.#deps;
    const deadline = runtime.now() + retryPolicy.timeoutMs;
    for (let failures = 0;;) {
      try {
        return await retryPolicy.withCallerDeadline(read());
      } catch (cause) {
        cache.abandonReads();
        if (isInvalidCallError(cause)) throw cause;
        const isOver = currentStoreDeadline()?.isExpired || runtime.now() >= deadline;
        if (++failures >= MAX_FAILURES || isOver) {
          throw new StoreUnavailableError("the store does not answer", { cause });
        }
        await retryPolicy.backOff(failures);
      }
    }
  }
}
