import type { System } from "../system.ts";
import { Batch, type Entry } from "./batch.ts";
import { Documents, keyText } from "./documents.ts";
import { type Operation, StoreUnavailableError } from "./operation.ts";
import { isTooLarge } from "./too_large.ts";
import { ChangedError, View } from "./view.ts";

/** Deno KV takes 100 checks and 819,200 bytes in one atomic; both with room to spare. */
const MAX_KEYS = 90;
const MAX_BYTES = 600_000;
const DEFAULT_BYTES = 2_048;
/** Keys of a batch: halved after a conflict, slowly regained after a commit. */
const MIN_KEYS = 4;
const REGAINED_KEYS = 4;
const MAX_QUEUE = 5_000;
const PATIENCE_MS = 5_000;
const CACHED_DOCUMENTS = 50_000;
const CACHED_BYTES = 64 * 1024 * 1024;
/** A store that fails this often in a row is given up, whatever the clock says. */
const MAX_FAILURES = 60;
/** Work whose basis changes under it this often in a row is told that the store is busy. */
const MAX_TRIES = 20;
const BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 80;

export interface CommitterOptions {
  system: System;
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
 * was faster everything is read and decided again, in smaller batches. One per process and store.
 *
 * Exact: an operation's answer is told only after the atomic it is part of has been committed, or, for
 * one that writes nothing, when what it saw is known to be what the store had since it was asked.
 */
export class Committer {
  #kv: Deno.Kv;
  #system: System;
  #documents: Documents;
  #queue: Entry[] = [];
  #maxQueue: number;
  #patienceMs: number;
  #loading = 0;
  #pumping = false;
  #limit = MAX_KEYS;
  /** Entries of a batch; only sizes that were told wrong make it finite. */
  #most = Infinity;
  /** Which attempt is under way: one that was given up must not commit or tell anything any more. */
  #turn = 0;
  #failures = 0;
  #lastFailure: unknown;

  constructor(kv: Deno.Kv, options: CommitterOptions) {
    this.#kv = kv;
    this.#system = options.system;
    this.#maxQueue = options.maxQueue ?? MAX_QUEUE;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    const limit = options.cachedDocuments ?? CACHED_DOCUMENTS;
    this.#documents = new Documents(kv, { limit, maxWeight: CACHED_BYTES });
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
      if (error instanceof StoreUnavailableError || options.isFinal?.(error)) throw error;
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

  #view(options: { fresh: boolean; since: number }): View {
    const load = (keys: ReadonlyMap<string, Deno.KvKey>) =>
      this.#loadPatiently(keys, options.since);
    return new View(this.#documents, { ...options, load });
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
    if (this.#queue.length + this.#loading >= this.#maxQueue) {
      throw new StoreUnavailableError("too many operations are waiting for the store");
    }
    const keys = new Map(operation.keys.map((key) => [keyText(key), key]));
    // The operation's own keys are decided anew, so that many may be at the same one at once.
    const basis = new Map([...view?.basis ?? []].filter(([text]) => !keys.has(text)));
    for (const [text, { key }] of basis) keys.set(text, key);
    const since = view?.since ?? this.#documents.tick;
    const drawn = (operation.drawn ?? []).map(keyText);
    this.#documents.assumeAbsent(drawn, keys);
    const deadline = this.#system.now() + this.#patienceMs;
    await this.#loadFirst(keys);
    try {
      return await new Promise<T>((resolve, reject) => {
        const settle = resolve as (result: unknown) => void;
        const asked = { operation, keys, view, basis, since, deadline };
        this.#queue.push({ ...asked, resolve: settle, reject });
        this.#pump();
      });
    } finally {
      this.#documents.dropAbsent(drawn);
    }
  }

  /** Cold keys are read before the queue, so that they hold up nobody with warm ones. */
  async #loadFirst(keys: ReadonlyMap<string, Deno.KvKey>): Promise<void> {
    if ([...keys.keys()].every((text) => this.#documents.get(text) !== undefined)) return;
    this.#loading++;
    try {
      await this.#inTime(this.#documents.load(keys));
    } catch {
      // The pump reads again, with patience, what is missing now.
      this.#documents.abandonReads();
    } finally {
      this.#loading--;
    }
  }

  /** Reads what a view asks for; a store that is locked for a moment is asked again. */
  async #loadPatiently(keys: ReadonlyMap<string, Deno.KvKey>, since: number): Promise<void> {
    const deadline = this.#system.now() + this.#patienceMs;
    for (let failures = 0;;) {
      try {
        return await this.#inTime(this.#documents.load(keys, since));
      } catch (cause) {
        this.#documents.abandonReads();
        if (++failures >= MAX_FAILURES || this.#system.now() >= deadline) {
          throw new StoreUnavailableError("the store does not answer", { cause });
        }
        await this.#pause(failures);
      }
    }
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    // After the current turn, so that callers who ask together go out together.
    queueMicrotask(async () => {
      while (this.#queue.length > 0) await this.#attend(this.#take());
      this.#pumping = false;
    });
  }

  /** The next entries that fit into one atomic; at least one. */
  #take(): Entry[] {
    const texts = new Set<string>();
    let bytes = 0;
    let count = 0;
    for (const { keys, operation } of this.#queue) {
      for (const text of keys.keys()) texts.add(text);
      bytes += operation.bytes ?? DEFAULT_BYTES;
      if (count > 0 && (texts.size > this.#limit || bytes > MAX_BYTES)) break;
      if (count >= this.#most) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  /** One attempt at a batch; what it leaves open goes back to the head of the queue. */
  async #attend(taken: Entry[]): Promise<void> {
    const entries = this.#giveUpLate(taken);
    let open = entries;
    try {
      open = await this.#inTime(this.#attempt(entries, ++this.#turn));
      this.#failures = 0;
    } catch (cause) {
      this.#turn++;
      if (isTooLarge(cause)) return this.#divide(entries, cause);
      // The outcome is unknown: decided again on fresh values, operations recognise their own.
      this.#lastFailure = cause;
      this.#documents.drop(entries.flatMap((entry) => [...entry.keys.keys()]));
      this.#documents.abandonReads();
      await this.#pause(this.#failures++);
    }
    this.#queue.unshift(...open);
  }

  /** One that alone is too large must not hold up the others: fewer are tried until it is found. */
  #divide(entries: Entry[], cause: unknown): void {
    if (entries.length === 1) return entries[0]!.reject(cause);
    this.#most = Math.floor(entries.length / 2);
    this.#queue.unshift(...entries);
  }

  /** One read, decision and commit; answers the entries that are still open. */
  async #attempt(entries: Entry[], turn: number): Promise<Entry[]> {
    await this.#documents.load(new Map(entries.flatMap((entry) => [...entry.keys])));
    if (turn !== this.#turn) return entries;
    const batch = new Batch(this.#documents);
    for (const entry of entries) batch.decide(entry);
    if (batch.writes) {
      const committed = await batch.toAtomic(this.#kv).commit();
      if (turn !== this.#turn) return entries;
      if (!committed.ok) {
        this.#limit = Math.max(MIN_KEYS, Math.floor(this.#limit / 2));
        this.#documents.drop(batch.reliedOn);
        return entries;
      }
      batch.settle(committed.versionstamp);
      this.#limit = Math.min(MAX_KEYS, this.#limit + REGAINED_KEYS);
      this.#most *= 2;
    }
    return this.#tell(batch);
  }

  /** Tells what is certain; what was refused on a cached copy is read again and stays open. */
  #tell(batch: Batch): Entry[] {
    const stale: Entry[] = [];
    for (const verdict of batch.verdicts) {
      if (verdict.kind === "told") verdict.entry.resolve(verdict.result);
      else if (verdict.kind === "failed") verdict.entry.reject(verdict.error);
      else stale.push(verdict.entry);
    }
    for (const entry of stale) {
      const old = [...entry.keys.keys()].filter((text) => {
        const document = this.#documents.get(text);
        return document !== undefined && document.seen <= entry.since;
      });
      this.#documents.drop(old);
    }
    return stale;
  }

  #giveUpLate(entries: Entry[]): Entry[] {
    const now = this.#system.now();
    const isHopeless = this.#failures >= MAX_FAILURES;
    // The next one who asks finds out anew.
    if (isHopeless) this.#failures = 0;
    return entries.filter((entry) => {
      if (entry.deadline > now && !isHopeless) return true;
      const cause = this.#lastFailure;
      entry.reject(new StoreUnavailableError("the store did not answer in time", { cause }));
      return false;
    });
  }

  /** A store that hangs must not hang its callers. */
  async #inTime<T>(attempt: Promise<T>): Promise<T> {
    const timer = new AbortController();
    const late = this.#system.sleep(this.#patienceMs, timer.signal).then(() => {
      throw new StoreUnavailableError("the store did not answer in time");
    });
    late.catch(() => {});
    try {
      return await Promise.race([attempt, late]);
    } finally {
      timer.abort();
    }
  }

  /** Waits a little longer each time, with jitter so that processes do not go in step. */
  #pause(failures: number): Promise<void> {
    const ceiling = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** failures);
    const jitter = this.#system.randomBytes(1)[0]! / 255;
    return this.#system.sleep(Math.ceil(ceiling * (0.5 + jitter / 2)));
  }
}
