import type { Runtime } from "../../platform/runtime.ts";
import { Batch, type Entry } from "./batch.ts";
import { BatchSize } from "./batch_size.ts";
import { Contention } from "./contention.ts";
import { Documents, keyText } from "./documents.ts";
import { Line, type Taken } from "./line.ts";
import { isOutOfPatience, type Operation, StoreUnavailableError } from "./operation.ts";
import { Patience } from "./patience.ts";
import { MAX_FAILURES, Reads } from "./reads.ts";
import { untilDeadline } from "./store_deadline.ts";
import { isInvalidCall } from "./store_error.ts";
import { basisOf, ChangedError, View } from "./view.ts";

/** Commits under way at once: more than one pays where the store is far, or decisions take time. */
const MAX_UNDER_WAY = 8;
const MAX_QUEUE = 5_000;
const CACHED_DOCUMENTS = 50_000;
const CACHED_BYTES = 64 * 1024 * 1024;
/** Work whose basis changes under it this often in a row is told that the store is busy. */
const MAX_TRIES = 20;

export interface CommitterOptions {
  runtime: Runtime;
  /** Operations that may wait; one more is told `StoreUnavailableError`. */
  maxQueue?: number;
  /** An operation that is not decided within this many milliseconds is given up. */
  patienceMs?: number;
  /** Documents kept in memory. */
  cachedDocuments?: number;
}

/**
 * Commits decisions of many callers together: operations queue, are decided in order on a local copy
 * of their keys, and go out as one atomic that checks every version it relied on. When another process
 * was faster everything is read and decided again. One per process and store.
 *
 * Exact: an operation's answer is told only after the atomic it is part of has been committed, or, for
 * one that writes nothing, when what it saw is known to be what the store had since it was asked.
 */
export class Committer {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #documents: Documents;
  #line = new Line();
  #maxQueue: number;
  #patience: Patience;
  #loading = 0;
  #pumping = false;
  #batchSize = new BatchSize();
  #contention = new Contention();
  #reads: Reads;
  #failures = 0;
  #lastFailure: unknown;

  constructor(kv: Deno.Kv, options: CommitterOptions) {
    this.#kv = kv;
    this.#runtime = options.runtime;
    this.#maxQueue = options.maxQueue ?? MAX_QUEUE;
    this.#patience = new Patience(options.runtime, options.patienceMs);
    const limit = options.cachedDocuments ?? CACHED_DOCUMENTS;
    const { now } = options.runtime;
    this.#documents = new Documents(kv, { limit, maxWeight: CACHED_BYTES, now });
    const parts = { contention: this.#contention, patience: this.#patience };
    this.#reads = new Reads(this.#documents, { ...parts, runtime: options.runtime });
  }

  /**
   * Does work that reads through a view and ends in an operation run with it: first on what memory
   * has, and when that fails for any reason (something is not there, has changed, or the work refuses)
   * on what the store has now. So no refusal comes from an old copy, and no acceptance either, because
   * the operation checks what was read. `isFinal` tells of errors that fresh values cannot change.
   */
  async work<T>(
    work: (view: View) => Promise<T>,
    options: { isFinal?: (error: unknown) => boolean } = {},
  ): Promise<T> {
    let since = this.#documents.tick;
    try {
      return await work(this.#view({ fresh: false, since }));
    } catch (error) {
      if (isOutOfPatience(error) || options.isFinal?.(error)) throw error;
    }
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      try {
        return await work(this.#view({ fresh: true, since }));
      } catch (error) {
        if (!(error instanceof ChangedError)) throw error;
        since = this.#documents.tick;
      }
    }
    throw new StoreUnavailableError("what was read kept changing");
  }

  /** Whether the store has failed since it last took a write. */
  get isFailing(): boolean {
    return this.#lastFailure !== undefined;
  }

  #view(options: { fresh: boolean; since: number }): View {
    const load = (keys: ReadonlyMap<string, Deno.KvKey>) =>
      this.#reads.loadPatiently(keys, options.since);
    return new View(this.#documents, { ...options, load });
  }

  /** The values of up to 10 keys, all as the store has them at one moment from now on. */
  read(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    return this.#reads.readTogether(keys);
  }

  /** Calls `listener` with each key that another process has changed while a commit relied on it. */
  onContended(listener: (key: Deno.KvKey) => void): void {
    this.#contention.listen(listener);
  }

  /** A value that memory has, fresh or not, without asking the store. */
  peek<T>(key: Deno.KvKey): T | undefined {
    return this.#documents.get(keyText(key))?.value as T | undefined;
  }

  /**
   * Decides `operation` and answers its result once that is certain. Throws what `decide` throws, and
   * `StoreUnavailableError` when too many wait or the store does not answer in time; in the latter
   * case the outcome is unknown, as for any write that timed out. With a view, `ChangedError` when what
   * it has read is no longer so; but the operation's own keys it decides on itself, as they are then.
   */
  async run<T>(operation: Operation<T>, view?: View): Promise<T> {
    if (this.#line.length + this.#loading >= this.#maxQueue) {
      throw new StoreUnavailableError("too many operations are waiting for the store");
    }
    const keys = new Map(operation.keys.map((key) => [keyText(key), key]));
    const basis = basisOf(view, keys);
    for (const [text, { key }] of basis) keys.set(text, key);
    const since = view?.since ?? this.#documents.tick;
    const drawn = (operation.drawn ?? []).map(keyText);
    this.#documents.assumeAbsent(drawn, keys);
    const deadline = this.#runtime.now() + this.#patience.ms;
    const tried = !await this.#loadFirst(keys, since);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const entry: Entry = { operation, keys, view, basis, since, deadline, tried, resolve, reject };
    this.#line.add(entry);
    this.#pump();
    try {
      return await untilDeadline(promise, () => entry.isAbandoned = true) as T;
    } finally {
      this.#documents.dropAbsent(drawn);
    }
  }

  /**
   * Reads cold and doubtful keys before the queue, so that they delay nobody with warm ones; false if the
   * cold ones could not be read.
   */
  async #loadFirst(keys: ReadonlyMap<string, Deno.KvKey>, since: number): Promise<boolean> {
    this.#loading++;
    try {
      const isThere = this.#documents.hasAll(keys.keys()) || await this.#reads.loadOnce(keys);
      await this.#reads.loadDoubtful(keys, since);
      return isThere;
    } finally {
      this.#loading--;
    }
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    // After the current turn, so that callers who ask together go out together.
    queueMicrotask(() => {
      this.#pumping = false;
      this.#sendAll();
    });
  }

  #sendAll(): void {
    // A store that fails is tried with one batch at a time.
    while (this.#line.underWay < (this.#failures > 0 ? 1 : MAX_UNDER_WAY)) {
      const taken = this.#line.take(this.#batchSize.keys, this.#batchSize.entries);
      if (taken === undefined) return;
      this.#send(taken);
    }
  }

  async #send(taken: Taken): Promise<void> {
    const { open, tell } = await this.#turn(taken.entries);
    this.#line.release(taken, open);
    // The store has the next batch before anybody goes on with what came of this one.
    this.#sendAll();
    tell?.();
  }

  /** One attempt at a batch. */
  async #turn(taken: Entry[]): Promise<Outcome> {
    const entries = this.#giveUpLate(taken);
    const turn: Turn = { over: false, checks: 0 };
    try {
      const outcome = await this.#patience.inTime(this.#attempt(entries, turn));
      this.#failures = 0;
      return outcome;
    } catch (cause) {
      turn.over = true;
      if (this.#batchSize.learn(cause, turn.checks) && entries.length > 1) return { open: entries };
      if (isInvalidCall(cause)) return { open: this.#divide(entries, cause) };
      // The outcome is unknown: decided again on fresh values, operations recognise their own.
      this.#lastFailure = cause;
      this.#documents.drop(entries.flatMap((entry) => [...entry.keys.keys()]));
      this.#documents.abandonReads();
      await this.#patience.pause(this.#failures++);
      return { open: entries };
    }
  }

  /** One that alone is invalid must not hold up the others: fewer are tried until it is found. */
  #divide(entries: Entry[], cause: unknown): Entry[] {
    if (entries.length > 1) {
      this.#batchSize.divided(entries.length);
      return entries;
    }
    entries[0]!.reject(cause);
    return [];
  }

  /**
   * One read, decision and commit. Once its turn is over it must not commit or tell anything any more.
   */
  async #attempt(entries: Entry[], turn: Turn): Promise<Outcome> {
    await this.#loadAll(entries);
    this.#contention.examine(this.#documents);
    if (turn.over) return { open: entries };
    const batch = new Batch(this.#documents);
    for (const entry of entries) if (!entry.isAbandoned) batch.decide(entry);
    if (batch.writes) {
      // Whoever asks while the commit is under way is not refused on what it has made.
      const sent = this.#documents.mark();
      turn.checks = batch.checks;
      const committed = await batch.toAtomic(this.#kv).commit();
      if (turn.over) return { open: entries };
      if (!committed.ok) {
        this.#contention.suspect(batch.reliedOn);
        this.#documents.drop(batch.reliedOn.keys());
        return { open: entries };
      }
      batch.settle(committed.versionstamp, sent);
      this.#contention.held(batch.reliedOn);
      this.#lastFailure = undefined;
      this.#batchSize.committed();
    }
    return { open: this.#stale(batch), tell: () => batch.tell() };
  }

  async #loadAll(entries: Entry[]): Promise<void> {
    const isThere = () => entries.every(({ keys }) => this.#documents.hasAll(keys.keys()));
    // A batch that fails beside this one makes memory forget what both rely on.
    for (let tries = 0; !isThere(); tries++) {
      if (tries === MAX_TRIES) throw new Error("memory forgets what is read at once");
      await this.#documents.load(new Map(entries.flatMap((entry) => [...entry.keys])));
    }
  }

  /** What was refused on a cached copy is read again and stays open. */
  #stale(batch: Batch): Entry[] {
    const stale = batch.verdicts.filter(({ kind }) => kind === "stale").map(({ entry }) => entry);
    for (const entry of stale) {
      const old = [...entry.keys.keys()].filter((text) => {
        const document = this.#documents.get(text);
        return document !== undefined && document.seen <= entry.since;
      });
      this.#documents.drop(old);
    }
    return stale;
  }

  /**
   * A store that answers is not what kept one that was never tried: the process may have stood still,
   * as a laptop does that sleeps.
   */
  #giveUpLate(entries: Entry[]): Entry[] {
    const now = this.#runtime.now();
    const isHopeless = this.#failures >= MAX_FAILURES;
    if (isHopeless) this.#failures = 0; // The next caller asks again.
    return entries.filter((entry) => {
      if (entry.isAbandoned) return false;
      const isLate = entry.deadline <= now && (entry.tried || this.#failures > 0);
      if (!isLate && !isHopeless) return entry.tried = true;
      const cause = this.#lastFailure;
      entry.reject(new StoreUnavailableError("the store did not answer in time", { cause }));
      return false;
    });
  }
}

/** One attempt: whether it was given up, and how many checks its commit has sent. */
type Turn = { over: boolean; checks: number };

/** What came of a batch: the entries it leaves open, and the telling of what is certain. */
interface Outcome {
  open: Entry[];
  tell?: () => void;
}
