import { type CachedEntry, encodeKey, type KvCache } from "./kv_cache.ts";
import type { Operation, Transaction } from "./operation.ts";
import { ConflictError, type ReadTransaction } from "./read_transaction.ts";

/** One operation that waits to be committed. */
export interface QueuedOperation {
  readonly operation: Operation<unknown>;
  /** The operation's own keys and those of its read set. */
  readonly keys: ReadonlyMap<string, Deno.KvKey>;
  readonly reads: ReadTransaction | undefined;
  /** What must be unchanged at the commit, by encoded key. */
  readonly readSet: ReadonlyMap<string, { versionstamp: string | null }>;
  /** The cache's tick when it was queued: an entry seen later is fresh for it. */
  readonly since: number;
  /** Milliseconds since the epoch; after it, an operation that was tried fails as unavailable. */
  readonly deadline: number;
  wasTried: boolean;
  /** Its caller no longer waits, so it must not be decided. */
  isAbandoned?: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Updater = (held: unknown, isOwn: boolean) => unknown;

interface PendingWrite {
  key: Deno.KvKey;
  /** `undefined` deletes the key. */
  value: unknown;
  expireIn: number | undefined;
  /** Of an update: makes the value when the decision is made. */
  make?: Updater;
  /** Made by an update of this batch, so nobody else holds the value. */
  isOwn?: boolean;
  /** Of a blind write: the value is cached after the commit. */
  isCached?: boolean;
}

/** Decides operations in order on a working copy of their keys, to commit them in one atomic. */
export class Batch {
  /** Rejections made on cached values, to be decided again on fresh ones. */
  readonly stale: QueuedOperation[] = [];
  #settlers: (() => void)[] = [];
  #cache: KvCache;
  #changes = new Map<string, PendingWrite>();
  #blindWrites = new Map<string, PendingWrite>();
  /** Entries that a decision with writes relied on. */
  #checked = new Map<string, CachedEntry>();
  /** Those in the read set of an operation, and those in the keys of one. */
  #readOnly = new Set<string>();
  #decidedOn = new Set<string>();

  constructor(cache: KvCache) {
    this.#cache = cache;
  }

  get hasWrites(): boolean {
    return this.#changes.size > 0 || this.#blindWrites.size > 0;
  }

  /** The entries whose versions the atomic checks. */
  get checkedEntries(): ReadonlyMap<string, CachedEntry> {
    return this.#checked;
  }

  decide(entry: QueuedOperation): void {
    const tx = new OperationTransaction(entry, { changes: this.#changes, cache: this.#cache });
    let result: unknown;
    try {
      if (!this.#isReadSetCurrent(entry)) throw new ConflictError("what was read has changed");
      result = entry.operation.decide(tx);
    } catch (error) {
      this.#settlers.push(() => entry.reject(error));
      return;
    }
    const hasWrites = tx.changes.size + tx.blindWrites.size > 0;
    if (!hasWrites && !this.#isCertain(entry, result)) {
      this.stale.push(entry);
      return;
    }
    if (hasWrites) this.#apply(entry, tx);
    this.#settlers.push(() => entry.resolve(result));
  }

  #apply(entry: QueuedOperation, tx: OperationTransaction): void {
    for (const [text, change] of tx.changes) this.#changes.set(text, this.#make(text, change));
    for (const [text, write] of tx.blindWrites) this.#blindWrites.set(text, write);
    for (const text of entry.keys.keys()) {
      this.#checked.set(text, this.#cache.get(text)!);
      if (entry.readSet.has(text)) this.#readOnly.add(text);
      else this.#decidedOn.add(text);
    }
  }

  #make(text: string, change: PendingWrite): PendingWrite {
    const { key, make, expireIn } = change;
    if (make === undefined) return change;
    const before = this.#changes.get(text);
    const held = before === undefined ? this.#cache.get(text)?.value : before.value;
    return { key, value: make(held, before?.isOwn === true), expireIn, isOwn: true };
  }

  /** True if nothing in the read set has changed, by this batch or in the cache. */
  #isReadSetCurrent({ readSet }: QueuedOperation): boolean {
    for (const [text, { versionstamp }] of readSet) {
      if (this.#changes.has(text)) return false;
      if (this.#cache.get(text)?.versionstamp !== versionstamp) return false;
    }
    return true;
  }

  /**
   * The entries beyond `maxChecks` that operations only read before they were decided, the last ones first.
   * What an operation writes, and decides on, is never among them.
   */
  excessReads(maxChecks: number): CachedEntry[] {
    const excess = this.#checked.size - maxChecks;
    if (excess <= 0) return [];
    const texts = [...this.#readOnly].filter((text) => !this.#decidedOn.has(text));
    return texts.slice(-excess).map((text) => this.#checked.get(text)!);
  }

  /** The atomic of all writes; it fails if another process changed what they relied on. */
  toAtomic(
    kv: Deno.Kv,
    { unchecked }: { unchecked: readonly CachedEntry[] },
  ): Deno.AtomicOperation {
    const atomic = kv.atomic();
    for (const entry of this.#checked.values()) {
      const { key, versionstamp } = entry;
      if (!unchecked.includes(entry)) atomic.check({ key, versionstamp });
    }
    for (const writes of [this.#changes, this.#blindWrites]) {
      for (const { key, value, expireIn } of writes.values()) {
        if (value === undefined) atomic.delete(key);
        else atomic.set(key, value, expireIn === undefined ? {} : { expireIn });
      }
    }
    return atomic;
  }

  /** Settles all operations except the stale ones. */
  resolveAll(): void {
    for (const settle of this.#settlers) settle();
  }

  /** Updates the cache after the commit, which was sent at tick `seenAt`. */
  applyToCache(versionstamp: string, seenAt: number): void {
    for (const [text, { key, value, isCached }] of this.#blindWrites) {
      if (isCached) this.#cache.put(text, { key, value, versionstamp, seenAt });
      else this.#cache.drop([text]);
    }
    for (const [text, before] of this.#checked) {
      const change = this.#changes.get(text);
      if (change === undefined) {
        // The check proves that it was current, unless a newer version has been read meanwhile.
        const isSame = this.#cache.get(text)?.versionstamp === before.versionstamp;
        if (isSame) this.#cache.touch(text, seenAt);
      } else if (change.value === undefined) {
        // A deleted key is rarely read again; caching its absence would evict entries in use.
        this.#cache.drop([text]);
      } else {
        this.#cache.put(text, { key: change.key, value: change.value, versionstamp, seenAt });
      }
    }
  }

  /** No commit checks a decision without writes, so it must not rest on old values. */
  #isCertain(entry: QueuedOperation, result: unknown): boolean {
    if (entry.operation.isFinal?.(result) === true) return true;
    // Work on cached reads that is rejected is repeated on fresh ones.
    if (entry.reads?.isFresh === false) return true;
    for (const text of entry.keys.keys()) {
      if (this.#changes.has(text)) continue;
      if ((this.#cache.get(text)?.seenAt ?? 0) <= entry.since) return false;
    }
    return true;
  }
}

const EMPTY: ReadonlyMap<string, never> = new Map<string, never>();

/** The transaction of one operation in a batch. Its maps are created on demand; most stay empty. */
class OperationTransaction implements Transaction {
  #entry: QueuedOperation;
  #batch: { changes: ReadonlyMap<string, PendingWrite>; cache: KvCache };
  #changes: Map<string, PendingWrite> | undefined;
  #blindWrites: Map<string, PendingWrite> | undefined;

  constructor(
    entry: QueuedOperation,
    batch: { changes: ReadonlyMap<string, PendingWrite>; cache: KvCache },
  ) {
    this.#entry = entry;
    this.#batch = batch;
  }

  get changes(): ReadonlyMap<string, PendingWrite> {
    return this.#changes ?? EMPTY;
  }

  get blindWrites(): ReadonlyMap<string, PendingWrite> {
    return this.#blindWrites ?? EMPTY;
  }

  get<T>(key: Deno.KvKey): T | undefined {
    const text = this.#encodeOwn(key);
    const own = this.#changes?.get(text);
    const change = own === undefined || own.make ? this.#batch.changes.get(text) : own;
    return (change ? change.value : this.#batch.cache.get(text)?.value) as T | undefined;
  }

  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void {
    const text = this.#encodeOwn(key);
    if (this.#changes?.get(text)?.make) throw doubleWriteError();
    this.#changes ??= new Map();
    this.#changes.set(text, { key, value, expireIn: options?.expireIn });
  }

  update<T>(
    key: Deno.KvKey,
    make: (held: T | undefined, isOwn: boolean) => T,
    options?: { expireIn?: number },
  ): void {
    const text = this.#encodeOwn(key);
    if (this.#changes?.has(text)) throw doubleWriteError();
    this.#changes ??= new Map();
    const expireIn = options?.expireIn;
    this.#changes.set(text, { key, value: undefined, make: make as Updater, expireIn });
  }

  delete(key: Deno.KvKey): void {
    this.set(key, undefined);
  }

  blindWrite(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void {
    this.#blindWrites ??= new Map();
    this.#blindWrites.set(encodeKey(key), { key, value, expireIn: options?.expireIn });
  }

  create(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void {
    this.#blindWrites ??= new Map();
    const write = { key, value, expireIn: options?.expireIn, isCached: true };
    this.#blindWrites.set(encodeKey(key), write);
  }

  #encodeOwn(key: Deno.KvKey): string {
    const text = encodeKey(key);
    if (this.#entry.keys.has(text)) return text;
    throw new Error("an operation used a key that it does not list");
  }
}

function doubleWriteError(): Error {
  return new Error("an operation updates a key that it also sets or deletes");
}
