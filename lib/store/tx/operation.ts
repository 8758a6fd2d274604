/** What an operation reads and writes: its own keys, as the operations before it in the batch left them. */
export interface Transaction {
  /** The value under one of the operation's keys. Do not mutate it; set a new value. */
  get<T>(key: Deno.KvKey): T | undefined;
  /** `expireIn` (whole milliseconds) only collects garbage; the value must carry its own expiry. */
  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void;
  /**
   * Like `set`, for a value too large to copy for each of many operations. `make` runs after the decision
   * and must not throw. If `isOwn`, this batch made the value and `make` may mutate and return it;
   * otherwise it must return a value that shares no mutable part with it. `get` keeps returning the old
   * value. Allowed once per key, and not together with `set` or `delete`.
   */
  update<T>(
    key: Deno.KvKey,
    make: (held: T | undefined, isOwn: boolean) => T,
    options?: { expireIn?: number },
  ): void;
  delete(key: Deno.KvKey): void;
  /**
   * Writes a key that no decision depends on, such as a record of the outcome. The key need not be listed
   * in `keys`, and is not read, checked or cached. `undefined` deletes it.
   */
  blindWrite(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void;
  /** Like `blindWrite`, for a key with a new random id; it is cached, so the next operation needs no read. */
  create(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void;
}

/**
 * One decision on a few keys, committed together with others.
 *
 * `decide` is synchronous and may run several times on newer values, so it must depend on the transaction
 * alone and be idempotent: when a commit has an unknown outcome it may see its own earlier writes, and must
 * recognize them by an id of its own (a run id, for example).
 */
export interface Operation<T> {
  /** All keys that `decide` may read or change; at most 10. */
  keys: readonly Deno.KvKey[];
  decide(tx: Transaction): T;
  /** Those of `keys` with a new random id: assumed absent without a read; the commit checks it. */
  freshKeys?: readonly Deno.KvKey[];
  /**
   * A decision without writes is a rejection. One made on cached values may be stale, so it is decided
   * again on fresh values unless this returns true: no other process can have made it obsolete (a rate
   * window only fills up).
   */
  isFinal?(result: T): boolean;
  /** Nobody waits for the result, so it may be held back for a moment and share a commit with others. */
  canWait?: boolean;
  /** Roughly how many bytes it writes; 2,048 by default. */
  estimatedBytes?: number;
}

/** The store is overloaded, unresponsive or failing; the caller may retry later. */
export class StoreUnavailableError extends Error {
  override name = "StoreUnavailableError";
}

/** One call to the store failed; the next one may succeed. */
export class StoreFailedError extends StoreUnavailableError {
  override name = "StoreFailedError";
}

/** True if the store is unavailable and an immediate retry will not help. */
export function isStoreUnavailable(error: unknown): boolean {
  return error instanceof StoreUnavailableError && !(error instanceof StoreFailedError);
}
