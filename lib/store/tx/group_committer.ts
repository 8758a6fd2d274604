import type { Runtime } from "../../platform/runtime.ts";
import { Batch, type QueuedOperation } from "./batch.ts";
import { BatchSize } from "./batch_size.ts";
import { ContentionTracker } from "./contention_tracker.ts";
import { encodeKey, KvCache } from "./kv_cache.ts";
import { CommitQueue, type InFlightBatch } from "./commit_queue.ts";
import { isStoreUnavailable, type Operation, StoreUnavailableError } from "./operation.ts";
import { RetryPolicy } from "./retry_policy.ts";
import { CacheLoader, MAX_FAILURES } from "./cache_loader.ts";
import { awaitWithinDeadline } from "./store_deadline.ts";
import { isInvalidCall } from "./store_error.ts";
import { ConflictError, readSetExcluding, ReadTransaction } from "./read_transaction.ts";

/** Commits under way at once: more than one pays where the store is far, or decisions take time. */
const MAX_IN_FLIGHT = 8;
const MAX_QUEUE = 5_000;
const MAX_CACHED_ENTRIES = 50_000;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** Work whose basis changes under it this often in a row is told that the store is busy. */
const MAX_ATTEMPTS = 20;

export interface GroupCommitterOptions {
  runtime: Runtime;
  /** Operations that may wait; one more is told `StoreUnavailableError`. */
  maxQueue?: number;
  /** An operation that is not decided within this many milliseconds is given up. */
  timeoutMs?: number;
  /** Documents kept in memory. */
  maxCachedEntries?: number;
}

/**
 * Commits decisions of many callers together: operations queue, are decided in order on a local copy
 * of their keys, and go out as one atomic that checks every version it relied on. When another process
 * was faster everything is read and decided again. One per process and store.
 *
 * Exact: an operation's answer is told only after the atomic it is part of has been committed, or, for
 * one that writes nothing, when what it saw is known to be what the store had since it was asked.
 */
export class GroupCommitter {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #cache: KvCache;
  #queue = new CommitQueue();
  #maxQueue: number;
  #retryPolicy: RetryPolicy;
  #loading = 0;
  #isSendScheduled = false;
  #batchSize = new BatchSize();
  #contention = new ContentionTracker();
  #loader: CacheLoader;
  #failures = 0;
  #lastFailure: unknown;

  constructor(kv: Deno.Kv, options: GroupCommitterOptions) {
    this.#kv = kv;
    this.#runtime = options.runtime;
    this.#maxQueue = options.maxQueue ?? MAX_QUEUE;
    this.#retryPolicy = new RetryPolicy(options.runtime, options.timeoutMs);
    const limit = options.maxCachedEntries ?? MAX_CACHED_ENTRIES;
    const { now } = options.runtime;
    this.#cache = new KvCache(kv, { limit, maxWeight: MAX_CACHED_BYTES, now });
    const parts = { contention: this.#contention, retryPolicy: this.#retryPolicy };
    this.#loader = new CacheLoader(this.#cache, { ...parts, runtime: options.runtime });
  }

  /**
   * Does work that reads through a view and ends in an operation run with it: first on what memory
   * has, and when that fails for any reason (something is not there, has changed, or the work refuses)
   * on what the store has now. So no refusal comes from an old copy, and no acceptance either, because
   * the operation checks what was read. `isFinal` tells of errors that fresh values cannot change.
   */
  async transact<T>(
    work: (view: ReadTransaction) => Promise<T>,
    options: { isFinal?: (error: unknown) => boolean } = {},
  ): Promise<T> {
    let since = this.#cache.tick;
    try {
      return await work(this.#beginReads({ fresh: false, since }));
    } catch (error) {
      if (isStoreUnavailable(error) || options.isFinal?.(error)) throw error;
    }
    for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
      try {
        return await work(this.#beginReads({ fresh: true, since }));
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        since = this.#cache.tick;
      }
    }
    throw new StoreUnavailableError("what was read kept changing");
  }

  /** Whether the store has failed since it last took a write. */
  get isFailing(): boolean {
    return this.#lastFailure !== undefined;
  }

  #beginReads(options: { fresh: boolean; since: number }): ReadTransaction {
    const load = (keys: ReadonlyMap<string, Deno.KvKey>) =>
      this.#loader.loadWithRetry(keys, options.since);
    return new ReadTransaction(this.#cache, { ...options, load });
  }

  /** The values of up to 10 keys, all as the store has them at one moment from now on. */
  readSnapshot(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    return this.#loader.readSnapshot(keys);
  }

  /** Calls `listener` with each key that another process has changed while a commit relied on it. */
  onContended(listener: (key: Deno.KvKey) => void): void {
    this.#contention.addListener(listener);
  }

  /** A value that memory has, fresh or not, without asking the store. */
  getCached<T>(key: Deno.KvKey): T | undefined {
    return this.#cache.get(encodeKey(key))?.value as T | undefined;
  }

  /**
   * Decides `operation` and answers its result once that is certain. Throws what `decide` throws, and
   * `StoreUnavailableError` when too many wait or the store does not answer in time; in the latter
   * case the outcome is unknown, as for any write that timed out. With a view, `ConflictError` when what
   * it has read is no longer so; but the operation's own keys it decides on itself, as they are then.
   */
  async run<T>(operation: Operation<T>, view?: ReadTransaction): Promise<T> {
    if (this.#queue.length + this.#loading >= this.#maxQueue) {
      throw new StoreUnavailableError("too many operations are waiting for the store");
    }
    const keys = new Map(operation.keys.map((key) => [encodeKey(key), key]));
    const basis = readSetExcluding(view, keys);
    for (const [text, { key }] of basis) keys.set(text, key);
    const since = view?.since ?? this.#cache.tick;
    const drawn = (operation.freshKeys ?? []).map(encodeKey);
    this.#cache.assumeAbsent(drawn, keys);
    const deadline = this.#runtime.now() + this.#retryPolicy.timeoutMs;
    const tried = !await this.#loadBeforeQueueing(keys, since);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const entry: QueuedOperation = {
      operation,
      keys,
      reads: view,
      readSet: basis,
      since,
      deadline,
      wasTried: tried,
      resolve,
      reject,
    };
    this.#queue.add(entry);
    this.#scheduleSend();
    try {
      return await awaitWithinDeadline(promise, () => entry.isAbandoned = true) as T;
    } finally {
      this.#cache.dropAbsent(drawn);
    }
  }

  /**
   * Reads cold and doubtful keys before the queue, so that they delay nobody with warm ones; false if the
   * cold ones could not be read.
   */
  async #loadBeforeQueueing(
    keys: ReadonlyMap<string, Deno.KvKey>,
    since: number,
  ): Promise<boolean> {
    this.#loading++;
    try {
      const isThere = this.#cache.hasAll(keys.keys()) || await this.#loader.tryLoad(keys);
      await this.#loader.reloadContended(keys, since);
      return isThere;
    } finally {
      this.#loading--;
    }
  }

  #scheduleSend(): void {
    if (this.#isSendScheduled) return;
    this.#isSendScheduled = true;
    // After the current turn, so that callers who ask together go out together.
    queueMicrotask(() => {
      this.#isSendScheduled = false;
      this.#sendAll();
    });
  }

  #sendAll(): void {
    // A store that fails is tried with one batch at a time.
    while (this.#queue.inFlight < (this.#failures > 0 ? 1 : MAX_IN_FLIGHT)) {
      const taken = this.#queue.take(this.#batchSize.maxKeys, this.#batchSize.maxEntries);
      if (taken === undefined) return;
      this.#send(taken);
    }
  }

  async #send(taken: InFlightBatch): Promise<void> {
    const { remaining, resolve } = await this.#runAttempt(taken.entries);
    this.#queue.release(taken, remaining);
    // The store has the next batch before anybody goes on with what came of this one.
    this.#sendAll();
    resolve?.();
  }

  /** One attempt at a batch. */
  async #runAttempt(taken: QueuedOperation[]): Promise<AttemptResult> {
    const entries = this.#rejectExpired(taken);
    const turn: Attempt = { isOver: false, checkCount: 0 };
    try {
      const outcome = await this.#retryPolicy.withTimeout(this.#commitBatch(entries, turn));
      this.#failures = 0;
      return outcome;
    } catch (cause) {
      turn.isOver = true;
      if (this.#batchSize.learnMaxKeys(cause, turn.checkCount) && entries.length > 1) {
        return { remaining: entries };
      }
      if (isInvalidCall(cause)) return { remaining: this.#isolateInvalid(entries, cause) };
      // The outcome is unknown: decided again on fresh values, operations recognise their own.
      this.#lastFailure = cause;
      this.#cache.drop(entries.flatMap((entry) => [...entry.keys.keys()]));
      this.#cache.abandonReads();
      await this.#retryPolicy.backOff(this.#failures++);
      return { remaining: entries };
    }
  }

  /** One that alone is invalid must not hold up the others: fewer are tried until it is found. */
  #isolateInvalid(entries: QueuedOperation[], cause: unknown): QueuedOperation[] {
    if (entries.length > 1) {
      this.#batchSize.onInvalid(entries.length);
      return entries;
    }
    entries[0]!.reject(cause);
    return [];
  }

  /**
   * One read, decision and commit. Once its turn is over it must not commit or tell anything any more.
   */
  async #commitBatch(entries: QueuedOperation[], turn: Attempt): Promise<AttemptResult> {
    await this.#loadAll(entries);
    this.#contention.resolveSuspects(this.#cache);
    if (turn.isOver) return { remaining: entries };
    const batch = new Batch(this.#cache);
    for (const entry of entries) if (!entry.isAbandoned) batch.decide(entry);
    if (batch.hasWrites) {
      // Whoever asks while the commit is under way is not refused on what it has made.
      const sent = this.#cache.advance();
      turn.checkCount = batch.checkCount;
      const committed = await batch.toAtomic(this.#kv).commit();
      if (turn.isOver) return { remaining: entries };
      if (!committed.ok) {
        this.#contention.addSuspects(batch.checkedEntries);
        this.#cache.drop(batch.checkedEntries.keys());
        return { remaining: entries };
      }
      batch.applyToCache(committed.versionstamp, sent);
      this.#contention.recordUnchanged(batch.checkedEntries);
      this.#lastFailure = undefined;
      this.#batchSize.onCommitted();
    }
    return { remaining: this.#takeStale(batch), resolve: () => batch.resolveAll() };
  }

  async #loadAll(entries: QueuedOperation[]): Promise<void> {
    const isThere = () => entries.every(({ keys }) => this.#cache.hasAll(keys.keys()));
    // A batch that fails beside this one makes memory forget what both rely on.
    for (let tries = 0; !isThere(); tries++) {
      if (tries === MAX_ATTEMPTS) throw new Error("memory forgets what is read at once");
      await this.#cache.load(new Map(entries.flatMap((entry) => [...entry.keys])));
    }
  }

  /** What was refused on a cached copy is read again and stays open. */
  #takeStale(batch: Batch): QueuedOperation[] {
    const stale = batch.outcomes.filter(({ kind }) => kind === "stale").map(({ entry }) => entry);
    for (const entry of stale) {
      const old = [...entry.keys.keys()].filter((text) => {
        const document = this.#cache.get(text);
        return document !== undefined && document.seenAt <= entry.since;
      });
      this.#cache.drop(old);
    }
    return stale;
  }

  /**
   * A store that answers is not what kept one that was never tried: the process may have stood still,
   * as a laptop does that sleeps.
   */
  #rejectExpired(entries: QueuedOperation[]): QueuedOperation[] {
    const now = this.#runtime.now();
    const isHopeless = this.#failures >= MAX_FAILURES;
    if (isHopeless) this.#failures = 0; // The next caller asks again.
    return entries.filter((entry) => {
      if (entry.isAbandoned) return false;
      const isLate = entry.deadline <= now && (entry.wasTried || this.#failures > 0);
      if (!isLate && !isHopeless) return entry.wasTried = true;
      const cause = this.#lastFailure;
      entry.reject(new StoreUnavailableError("the store did not answer in time", { cause }));
      return false;
    });
  }
}

/** One attempt: whether it was given up, and how many checks its commit has sent. */
type Attempt = { isOver: boolean; checkCount: number };

/** What came of a batch: the entries it leaves open, and the telling of what is certain. */
interface AttemptResult {
  remaining: QueuedOperation[];
  resolve?: () => void;
}
