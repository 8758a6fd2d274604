/** What an operation sees of the store: its own keys, with what was decided before it in the batch. */
export interface Transaction {
  /** The value under one of the operation's keys. Never change it in place: set a new one. */
  get<T>(key: Deno.KvKey): T | undefined;
  /** `expireIn` (whole milliseconds) only collects garbage: the value carries its own end. */
  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void;
  /**
   * As `set`, of a value that is too large to be copied by each of many operations: `make` is called
   * when the decision is through, and must not throw. What it is given it may change and answer where
   * it `isOwn`, made by this batch; otherwise it answers one that shares nothing with it that can be
   * changed. `get` goes on answering the value before. Once for a key, and not beside `set` or `delete`.
   */
  update<T>(
    key: Deno.KvKey,
    make: (held: T | undefined, isOwn: boolean) => T,
    options?: { expireIn?: number },
  ): void;
  delete(key: Deno.KvKey): void;
  /**
   * Writes a key that nobody decides on, a record of what was decided: it need not be named, is not
   * read, not checked and not remembered. `undefined` removes it.
   */
  blindWrite(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void;
  /**
   * As `note`, of a key that was drawn at random just now, which nobody can have written: it is
   * remembered, so that the next operation on it needs no read.
   */
  create(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void;
}

/**
 * One decision on a few keys, committed together with others.
 *
 * `decide` is synchronous and may run several times, each time on fresher values, so it must depend on
 * nothing but the draft and be idempotent: when a commit's outcome is unknown it sees its own earlier
 * writes, and recognises them by an id of its own (a run id, say).
 */
export interface Operation<T> {
  /** All keys that `decide` may read and change; at most 10. */
  keys: readonly Deno.KvKey[];
  decide(draft: Transaction): T;
  /** Those of `keys` that were drawn at random just now: taken to be absent, which the commit checks. */
  freshKeys?: readonly Deno.KvKey[];
  /**
   * A decision that writes nothing is a refusal. Made on a cached copy it may be stale, so the keys are
   * read once more before it is told, unless this says that no other process can have made it untrue
   * (a rate window only fills up).
   */
  isFinal?(result: T): boolean;
  /** About how many bytes it writes; 2,048 unless told. */
  estimatedBytes?: number;
}

/** The store is too busy, silent or failing: the caller may try again later. */
export class StoreUnavailableError extends Error {
  override name = "StoreUnavailableError";
}

/** One call of the store has failed; the next one may not. */
export class StoreFailedError extends StoreUnavailableError {
  override name = "StoreFailedError";
}

/** Whether a store was waited for in vain. After one failed call the work is done again, and asks again. */
export function isStoreUnavailable(error: unknown): boolean {
  return error instanceof StoreUnavailableError && !(error instanceof StoreFailedError);
}
