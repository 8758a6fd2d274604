import type { Runtime } from "../../platform/runtime.ts";
import { Batch, type QueuedOperation } from "./batch.ts";
import { CacheLoader, MAX_FAILURES } from "./cache_loader.ts";
import { BatchSize, CommitQueue, type InFlightBatch, type SentChecks } from "./commit_queue.ts";
import { ContentionTracker } from "./contention_tracker.ts";
import { encodeKey, KvCache } from "./kv_cache.ts";
import { isStoreUnavailable, type Operation, StoreUnavailableError } from "./operation.ts";
import { ConflictError, readSetExcluding, ReadTransaction } from "./read_transaction.ts";
import { RetryPolicy } from "./retry_policy.ts";
import { awaitWithinDeadline } from "./store_deadline.ts";
import { SendSchedule, type SetTimer } from "./send_schedule.ts";
import { isInvalidCallError } from "./store_error.ts";
import { type FinishedCommit, timeCommit } from "./time_commit.ts";

/** More than one commit in flight pays off where the store is far away or decisions take time. */
const MAX_IN_FLIGHT = 8;
const MAX_QUEUE = 5_000;
const MAX_CACHED_ENTRIES = 50_000;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** Conflicts in a row after which work fails because the store is busy. */
const MAX_ATTEMPTS = 20;

export interface GroupCommitterOptions {
  runtime: Runtime;
  /** Maximum waiting operations; one more fails with `StoreUnavailableError`. */
  maxQueue?: number;
  /** An operation that is not committed within this many milliseconds fails. */
  timeoutMs?: number;
  maxCachedEntries?: number;
  /** Holds back operations that can wait; without it they are sent at once. */
  setTimer?: SetTimer | undefined;
  onCommit?: (commit: FinishedCommit) => void;
}

/** One attempt to commit a batch; once it `isOver` it must not commit or settle anything. */
type Attempt = SentChecks & { isOver: boolean };

/** The entries that an attempt leaves to be retried, and how to settle the others. */
type AttemptResult = { remaining: QueuedOperation[]; resolve?: () => void };

/**
 * Group commit: operations of many callers queue, are decided in order on a cached copy of their keys, and
 * are written in one atomic that checks every version they relied on. After a conflict with another process
 * everything is read and decided again. One per process and store.
 *
 * Results are exact: an operation settles only after its atomic was committed, or, if it writes nothing,
 * when what it read is known to be current since it was queued.
 */
export class GroupCommitter {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #cache: KvCache;
  #queue = new CommitQueue();
  #maxQueue: number;
  #retryPolicy: RetryPolicy;
  #loading = 0;
  readonly #schedule: SendSchedule;
  #batchSize = new BatchSize();
  #contention = new ContentionTracker();
  #loader: CacheLoader;
  #failures = 0;
  #lastFailure: unknown;
  #onCommit: GroupCommitterOptions["onCommit"];

  constructor(kv: Deno.Kv, options: GroupCommitterOptions) {
    const { runtime, maxCachedEntries: maxEntries = MAX_CACHED_ENTRIES } = options;
    this.#kv = kv;
    this.#runtime = runtime;
    this.#onCommit = options.onCommit;
    this.#maxQueue = options.maxQueue ?? MAX_QUEUE;
    this.#retryPolicy = new RetryPolicy(runtime, options.timeoutMs);
    this.#schedule = new SendSchedule(() => this.#sendAll(), options.setTimer);
    this.#cache = new KvCache(kv, { maxEntries, maxBytes: MAX_CACHED_BYTES, now: runtime.now });
    const deps = { contention: this.#contention, retryPolicy: this.#retryPolicy, runtime };
    this.#loader = new CacheLoader({ ...deps, cache: this.#cache });
  }

  /**
   * Runs `work`, which reads through the read transaction and ends in an operation run with it. The first
   * attempt uses cached values; if it fails for any reason, `work` runs again on fresh ones. So no error
   * comes from an outdated value, and no success either, because the commit checks what was read.
   * `isFinal` names errors that fresh values cannot change.
   */
  async transact<T>(
    work: (reads: ReadTransaction) => Promise<T>,
    options: { isFinal?: (error: unknown) => boolean } = {},
  ): Promise<T> {
    let since = this.#cache.tick;
    try {
      return await work(this.#beginReads({ isFresh: false, since }));
    } catch (error) {
      if (isStoreUnavailable(error) || options.isFinal?.(error)) throw error;
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        return await work(this.#beginReads({ isFresh: true, since }));
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        since = this.#cache.tick;
      }
    }
    throw new StoreUnavailableError("what was read kept changing");
  }

  /** True if the store has failed since its last successful write. */
  get isFailing(): boolean {
    return this.#lastFailure !== undefined;
  }

  /** Operations that wait, and batches that the store is committing. */
  get load(): { waiting: number; inFlight: number } {
    return { waiting: this.#queue.length + this.#loading, inFlight: this.#queue.inFlight };
  }

  #beginReads(options: { isFresh: boolean; since: number }): ReadTransaction {
    const load = (keys: ReadonlyMap<string, Deno.KvKey>) =>
      this.#loader.loadWithRetry(keys, options.since);
    return new ReadTransaction(this.#cache, { ...options, load });
  }

  /** The values of up to 10 keys in one consistent snapshot of the store. */
  readSnapshot(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    return this.#loader.readSnapshot(keys);
  }

  /** Calls `listener` with each key that another process changed while a commit relied on it. */
  onContended(listener: (key: Deno.KvKey) => void): void {
    this.#contention.addListener(listener);
  }

  /** A cached value, which may be outdated; never reads the store. */
  getCached<T>(key: Deno.KvKey): T | undefined {
    return this.#cache.get(encodeKey(key))?.value as T | undefined;
  }

  /**
   * Decides and commits `operation`, and returns its result. Throws what `decide` throws, and
   * `StoreUnavailableError` if the queue is full or the store does not answer in time; in the latter case
   * the outcome is unknown. With `reads`, throws `ConflictError` if a value in the read set has changed;
   * the operation's own keys are exempt, because it decides on their current values.
   */
  async run<T>(operation: Operation<T>, reads?: ReadTransaction): Promise<T> {
    if (this.#queue.length + this.#loading >= this.#maxQueue) {
      throw new StoreUnavailableError("too many operations are waiting for the store");
    }
    const keys = new Map(operation.keys.map((key) => [encodeKey(key), key]));
    const readSet = readSetExcluding(reads, keys);
    for (const [text, { key }] of readSet) keys.set(text, key);
    const since = reads?.since ?? this.#cache.tick;
    const freshKeys = (operation.freshKeys ?? []).map(encodeKey);
    this.#cache.assumeAbsent(freshKeys, keys);
    const deadline = this.#runtime.now() + this.#retryPolicy.timeoutMs;
    const wasTried = !await this.#loadBeforeQueueing(keys, since);
    const caller = Promise.withResolvers<unknown>();
    const request = { operation, keys, reads, readSet, since, deadline, wasTried };
    const entry: QueuedOperation = { ...request, ...caller };
    this.#queue.add(entry);
    this.#schedule.request({ canWait: operation.canWait ?? false });
    try {
      return await awaitWithinDeadline(caller.promise, () => entry.isAbandoned = true) as T;
    } finally {
      this.#cache.dropAbsent(freshKeys);
    }
  }

  /**
   * Reads missing and contended keys before the operation is queued, so that it does not delay others.
   * False if missing keys could not be read.
   */
  async #loadBeforeQueueing(
    keys: ReadonlyMap<string, Deno.KvKey>,
    since: number,
  ): Promise<boolean> {
    this.#loading++;
    try {
      const isLoaded = this.#cache.hasAll(keys.keys()) || await this.#loader.tryLoad(keys);
      await this.#loader.reloadContended(keys, since);
      return isLoaded;
    } finally {
      this.#loading--;
    }
  }

  #sendAll(): void {
    // A failing store gets one batch at a time.
    while (this.#queue.inFlight < (this.#failures > 0 ? 1 : MAX_IN_FLIGHT)) {
      const batch = this.#queue.take(this.#batchSize.maxKeys, this.#batchSize.maxEntries);
      if (batch === undefined) return;
      this.#send(batch);
    }
  }

  async #send(batch: InFlightBatch): Promise<void> {
    const { remaining, resolve } = await this.#runAttempt(batch.entries);
    this.#queue.release(batch, remaining);
    // Send the next batch before callers continue with the results of this one.
    this.#sendAll();
    resolve?.();
  }

  async #runAttempt(taken: QueuedOperation[]): Promise<AttemptResult> {
    const entries = this.#rejectExpired(taken);
    const attempt: Attempt = { isOver: false, operations: entries.length, checks: 0, maxKeys: 0 };
    try {
      const result = await this.#retryPolicy.withTimeout(this.#commitBatch(entries, attempt));
      this.#failures = 0;
      return result;
    } catch (cause) {
      attempt.isOver = true;
      if (this.#batchSize.learnMaxKeys(cause, attempt)) return { remaining: entries };
      if (isInvalidCallError(cause)) return { remaining: this.#isolateInvalid(entries, cause) };
      // The outcome is unknown: decided again on fresh values, operations recognize their own writes.
      this.#lastFailure = cause;
      this.#cache.drop(entries.flatMap((entry) => [...entry.keys.keys()]));
      this.#cache.abandonReads();
      await this.#retryPolicy.backOff(this.#failures++);
      return { remaining: entries };
    }
  }

  /** Retries smaller batches until the invalid operation is alone, so that it does not block others. */
  #isolateInvalid(entries: QueuedOperation[], cause: unknown): QueuedOperation[] {
    if (entries.length > 1) {
      this.#batchSize.onInvalid(entries.length);
      return entries;
    }
    entries[0]!.reject(cause);
    return [];
  }

  async #commitBatch(entries: QueuedOperation[], attempt: Attempt): Promise<AttemptResult> {
    await this.#loadAll(entries);
    this.#contention.resolveSuspects(this.#cache);
    if (attempt.isOver) return { remaining: entries };
    const batch = new Batch(this.#cache);
    for (const entry of entries) if (!entry.isAbandoned) batch.decide(entry);
    if (batch.hasWrites) {
      const { checkedEntries } = batch;
      // Operations queued while the commit is in flight must not be rejected on what it writes.
      const sentAt = this.#cache.advance();
      const { maxKeys } = this.#batchSize;
      const unchecked = batch.excessReads(maxKeys);
      // A change between this read and the commit counts as one after the request, which began before.
      const isCurrent = unchecked.length === 0 || await this.#cache.areCurrent(unchecked);
      if (attempt.isOver || !isCurrent) return { remaining: entries };
      Object.assign(attempt, { checks: checkedEntries.size - unchecked.length, maxKeys });
      const how = { operations: entries.length, runtime: this.#runtime, onCommit: this.#onCommit };
      const committed = await timeCommit(batch.toAtomic(this.#kv, { unchecked }), how);
      if (attempt.isOver) return { remaining: entries };
      if (!committed.ok) {
        this.#contention.addSuspects(checkedEntries);
        this.#cache.drop(checkedEntries.keys());
        return { remaining: entries };
      }
      batch.applyToCache(committed.versionstamp, sentAt);
      this.#contention.recordUnchanged(checkedEntries);
      this.#lastFailure = undefined;
      this.#batchSize.onCommitted();
    }
    this.#dropStale(batch.stale);
    return { remaining: batch.stale, resolve: () => batch.resolveAll() };
  }

  async #loadAll(entries: QueuedOperation[]): Promise<void> {
    const isLoaded = () => entries.every(({ keys }) => this.#cache.hasAll(keys.keys()));
    // A parallel batch that fails evicts keys that both rely on.
    for (let attempt = 0; !isLoaded(); attempt++) {
      if (attempt === MAX_ATTEMPTS) throw new Error("the cache evicts what was just read");
      await this.#cache.load(new Map(entries.flatMap((entry) => [...entry.keys])));
    }
  }

  /** Evicts the values that these rejections relied on, so that they are read again. */
  #dropStale(entries: QueuedOperation[]): void {
    for (const { keys, since } of entries) {
      this.#cache.drop([...keys.keys()].filter((text) => {
        const seenAt = this.#cache.get(text)?.seenAt;
        return seenAt !== undefined && seenAt <= since;
      }));
    }
  }

  /**
   * Rejects operations past their deadline, unless they were never tried and the store works: then it
   * was the process that stood still, like a laptop that slept.
   */
  #rejectExpired(entries: QueuedOperation[]): QueuedOperation[] {
    const now = this.#runtime.now();
    const hasGivenUp = this.#failures >= MAX_FAILURES;
    if (hasGivenUp) this.#failures = 0; // The next caller tries again.
    return entries.filter((entry) => {
      if (entry.isAbandoned) return false;
      const isExpired = entry.deadline <= now && (entry.wasTried || this.#failures > 0);
      if (!isExpired && !hasGivenUp) return entry.wasTried = true;
      const cause = this.#lastFailure;
      entry.reject(new StoreUnavailableError("the store did not answer in time", { cause }));
      return false;
    });
  }
}
