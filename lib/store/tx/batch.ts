import { type CachedEntry, encodeKey, type KvCache } from "./kv_cache.ts";
import type { Operation, Transaction } from "./operation.ts";
import { ConflictError, type ReadTransaction } from "./read_transaction.ts";

/** One waiting operation. */
export interface QueuedOperation {
  readonly operation: Operation<unknown>;
  /** The operation's own, and what its view has read. */
  readonly keys: ReadonlyMap<string, Deno.KvKey>;
  readonly reads: ReadTransaction | undefined;
  /** What must still be as the work has read it, by the key's text. */
  readonly readSet: ReadonlyMap<string, { versionstamp: string | null }>;
  /** The committer's count when it was asked: a document seen later is fresh for it. */
  readonly since: number;
  /** Milliseconds since the epoch; told `StoreUnavailableError` from then on, once it was tried. */
  readonly deadline: number;
  wasTried: boolean;
  /** Its caller no longer waits: it must not be done. */
  isAbandoned?: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** How one entry was decided in a batch. */
export type OperationOutcome =
  | { kind: "told"; entry: QueuedOperation; result: unknown }
  | { kind: "failed"; entry: QueuedOperation; error: unknown }
  /** A refusal from a cached copy: to be decided again on what the store has now. */
  | { kind: "stale"; entry: QueuedOperation };

interface PendingWrite {
  key: Deno.KvKey;
  value: unknown;
  deleted: boolean;
  expireIn: number | undefined;
  /** Of a note: what has just been created is asked for again. */
  remembered?: boolean;
  /** Nobody else has the value: it was made by an update of this batch. */
  isOwn?: boolean;
}

type Updater = (held: unknown, isOwn: boolean) => unknown;

interface PendingUpdate {
  key: Deno.KvKey;
  make: Updater;
  expireIn: number | undefined;
}

/** Decides entries in order on a working copy, and knows the one atomic that would make them true. */
export class Batch {
  readonly outcomes: OperationOutcome[] = [];
  #cache: KvCache;
  #changes = new Map<string, PendingWrite>();
  #blindWrites = new Map<string, PendingWrite>();
  /** Documents that a decision with writes relied on. */
  #checked = new Map<string, CachedEntry>();

  constructor(documents: KvCache) {
    this.#cache = documents;
  }

  get hasWrites(): boolean {
    return this.#changes.size > 0 || this.#blindWrites.size > 0;
  }

  /** Keys whose versions its atomic checks. */
  get checkCount(): number {
    return this.#checked.size;
  }

  decide(entry: QueuedOperation): void {
    const draft = new OperationTransaction(entry, {
      changes: this.#changes,
      documents: this.#cache,
    });
    let result: unknown;
    try {
      if (!this.#isReadSetCurrent(entry)) throw new ConflictError("what was read has changed");
      result = entry.operation.decide(draft);
    } catch (error) {
      this.outcomes.push({ kind: "failed", entry, error });
      return;
    }
    if (draft.changes.size + draft.updates.size + draft.blindWrites.size > 0) {
      for (const [text, change] of draft.changes) this.#changes.set(text, change);
      for (const [text, update] of draft.updates) this.#update(text, update);
      for (const [text, note] of draft.blindWrites) this.#blindWrites.set(text, note);
      for (const text of entry.keys.keys()) this.#checked.set(text, this.#cache.get(text)!);
      this.outcomes.push({ kind: "told", entry, result });
    } else if (this.#isCertain(entry, result)) {
      this.outcomes.push({ kind: "told", entry, result });
    } else {
      this.outcomes.push({ kind: "stale", entry });
    }
  }

  #update(text: string, { key, make, expireIn }: PendingUpdate): void {
    const change = this.#changes.get(text);
    const held = change === undefined ? this.#cache.get(text)?.value : change.value;
    const value = make(held, change?.isOwn === true);
    this.#changes.set(text, { key, value, deleted: false, expireIn, isOwn: true });
  }

  /** Whether everything the work has read is as it was, others of this batch included. */
  #isReadSetCurrent({ readSet }: QueuedOperation): boolean {
    for (const [text, { versionstamp }] of readSet) {
      if (this.#changes.has(text)) return false;
      if (this.#cache.get(text)?.versionstamp !== versionstamp) return false;
    }
    return true;
  }

  /** The atomic of everything decided: it holds only if nobody else touched what was relied on. */
  toAtomic(kv: Deno.Kv): Deno.AtomicOperation {
    const atomic = kv.atomic();
    for (const { key, versionstamp } of this.#checked.values()) {
      atomic.check({ key, versionstamp });
    }
    for (const { key, value, deleted, expireIn } of this.#writes()) {
      if (deleted) atomic.delete(key);
      else atomic.set(key, value, expireIn === undefined ? {} : { expireIn });
    }
    return atomic;
  }

  *#writes(): Iterable<PendingWrite> {
    yield* this.#changes.values();
    yield* this.#blindWrites.values();
  }

  /** Tells all whose outcome is certain. */
  resolveAll(): void {
    for (const verdict of this.outcomes) {
      if (verdict.kind === "told") verdict.entry.resolve(verdict.result);
      else if (verdict.kind === "failed") verdict.entry.reject(verdict.error);
    }
  }

  /** Notes in the documents that the atomic was committed; it was sent when their count was `seen`. */
  applyToCache(versionstamp: string, seen: number): void {
    for (const [text, { key, value, remembered }] of this.#blindWrites) {
      if (remembered) this.#cache.put(text, { key, value, versionstamp, seenAt: seen });
      else this.#cache.drop([text]);
    }
    for (const [text, before] of this.#checked) {
      const change = this.#changes.get(text);
      if (change === undefined) {
        // Checked, so it was current when the commit was made; unless somebody has read a newer one.
        const isSame = this.#cache.get(text)?.versionstamp === before.versionstamp;
        if (isSame) this.#cache.touch(text, seen);
      } else if (change.deleted) {
        // Hardly anybody asks for it again, and who does reads it: kept, it would crowd out what is used.
        this.#cache.drop([text]);
      } else {
        this.#cache.put(text, { key: change.key, value: change.value, versionstamp, seenAt: seen });
      }
    }
  }

  /** What must be read again after the atomic failed, as it was relied on. */
  get checkedEntries(): ReadonlyMap<string, CachedEntry> {
    return this.#checked;
  }

  /** A decision without writes: nothing checks it, so what it saw must not be old. */
  #isCertain(entry: QueuedOperation, result: unknown): boolean {
    if (entry.operation.isFinal?.(result) === true) return true;
    // Work on a cached view that is refused is done again on a fresh one.
    if (entry.reads?.isFresh === false) return true;
    return this.#isFresh(entry);
  }

  #isFresh(entry: QueuedOperation): boolean {
    for (const text of entry.keys.keys()) {
      if (this.#changes.has(text)) continue;
      if ((this.#cache.get(text)?.seenAt ?? 0) <= entry.since) return false;
    }
    return true;
  }
}

const EMPTY: ReadonlyMap<string, never> = new Map<string, never>();

/** What one entry sees of its batch, and what it would change. */
class OperationTransaction implements Transaction {
  #entry: QueuedOperation;
  #batch: { changes: ReadonlyMap<string, PendingWrite>; documents: KvCache };
  #changes: Map<string, PendingWrite> | undefined;
  #updates: Map<string, PendingUpdate> | undefined;
  #notes: Map<string, PendingWrite> | undefined;

  constructor(
    entry: QueuedOperation,
    batch: { changes: ReadonlyMap<string, PendingWrite>; documents: KvCache },
  ) {
    this.#entry = entry;
    this.#batch = batch;
  }

  get changes(): ReadonlyMap<string, PendingWrite> {
    return this.#changes ?? EMPTY;
  }

  get updates(): ReadonlyMap<string, PendingUpdate> {
    return this.#updates ?? EMPTY;
  }

  get blindWrites(): ReadonlyMap<string, PendingWrite> {
    return this.#notes ?? EMPTY;
  }

  get<T>(key: Deno.KvKey): T | undefined {
    const text = this.#textOf(key);
    const change = this.#changes?.get(text) ?? this.#batch.changes.get(text);
    return (change ? change.value : this.#batch.documents.get(text)?.value) as T | undefined;
  }

  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void {
    this.#put({ key, value, deleted: false, expireIn: options?.expireIn });
  }

  update<T>(
    key: Deno.KvKey,
    make: (held: T | undefined, isOwn: boolean) => T,
    options?: { expireIn?: number },
  ): void {
    const text = this.#textOf(key);
    if (this.#updates?.has(text) || this.#changes?.has(text)) throw doubleWriteError();
    this.#updates ??= new Map();
    this.#updates.set(text, { key, make: make as Updater, expireIn: options?.expireIn });
  }

  delete(key: Deno.KvKey): void {
    this.#put({ key, value: undefined, deleted: true, expireIn: undefined });
  }

  blindWrite(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void {
    this.#note({ key, value, deleted: value === undefined, expireIn: options?.expireIn });
  }

  create(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void {
    const expireIn = options?.expireIn;
    this.#note({ key, value, deleted: false, expireIn, remembered: true });
  }

  #note(note: PendingWrite): void {
    this.#notes ??= new Map();
    this.#notes.set(encodeKey(note.key), note);
  }

  #put(change: PendingWrite): void {
    const text = this.#textOf(change.key);
    if (this.#updates?.has(text)) throw doubleWriteError();
    this.#changes ??= new Map();
    this.#changes.set(text, change);
  }

  #textOf(key: Deno.KvKey): string {
    const text = encodeKey(key);
    if (this.#entry.keys.has(text)) return text;
    throw new Error("an operation touched a key it did not name");
  }
}

function doubleWriteError(): Error {
  return new Error("an operation updates a key that it changes otherwise as well");
}
