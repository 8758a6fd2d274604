import { type Document, type Documents, keyText } from "./documents.ts";
import type { Draft, Operation } from "./operation.ts";
import { ChangedError, type View } from "./view.ts";

/** One waiting operation. */
export interface Entry {
  readonly operation: Operation<unknown>;
  /** The operation's own, and what its view has read. */
  readonly keys: ReadonlyMap<string, Deno.KvKey>;
  readonly view: View | undefined;
  /** What must still be as the work has read it, by the key's text. */
  readonly basis: ReadonlyMap<string, { versionstamp: string | null }>;
  /** The committer's count when it was asked: a document seen later is fresh for it. */
  readonly since: number;
  /** Milliseconds since the epoch; told `StoreUnavailableError` from then on, once it was tried. */
  readonly deadline: number;
  tried: boolean;
  /** Its caller no longer waits: it must not be done. */
  isAbandoned?: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** How one entry was decided in a batch. */
export type Verdict =
  | { kind: "told"; entry: Entry; result: unknown }
  | { kind: "failed"; entry: Entry; error: unknown }
  /** A refusal from a cached copy: to be decided again on what the store has now. */
  | { kind: "stale"; entry: Entry };

interface Change {
  key: Deno.KvKey;
  value: unknown;
  deleted: boolean;
  expireIn: number | undefined;
  /** Of a note: what has just been created is asked for again. */
  remembered?: boolean;
  /** Nobody else has the value: it was made by an update of this batch. */
  isOwn?: boolean;
}

type Make = (held: unknown, isOwn: boolean) => unknown;

interface Update {
  key: Deno.KvKey;
  make: Make;
  expireIn: number | undefined;
}

/** Decides entries in order on a working copy, and knows the one atomic that would make them true. */
export class Batch {
  readonly verdicts: Verdict[] = [];
  #documents: Documents;
  #changes = new Map<string, Change>();
  #notes = new Map<string, Change>();
  /** Documents that a decision with writes relied on. */
  #relied = new Map<string, Document>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  get writes(): boolean {
    return this.#changes.size > 0 || this.#notes.size > 0;
  }

  /** Keys whose versions its atomic checks. */
  get checks(): number {
    return this.#relied.size;
  }

  decide(entry: Entry): void {
    const draft = new EntryDraft(entry, { changes: this.#changes, documents: this.#documents });
    let result: unknown;
    try {
      if (!this.#holds(entry)) throw new ChangedError("what was read has changed");
      result = entry.operation.decide(draft);
    } catch (error) {
      this.verdicts.push({ kind: "failed", entry, error });
      return;
    }
    if (draft.changes.size + draft.updates.size + draft.notes.size > 0) {
      for (const [text, change] of draft.changes) this.#changes.set(text, change);
      for (const [text, update] of draft.updates) this.#update(text, update);
      for (const [text, note] of draft.notes) this.#notes.set(text, note);
      for (const text of entry.keys.keys()) this.#relied.set(text, this.#documents.get(text)!);
      this.verdicts.push({ kind: "told", entry, result });
    } else if (this.#isCertain(entry, result)) {
      this.verdicts.push({ kind: "told", entry, result });
    } else {
      this.verdicts.push({ kind: "stale", entry });
    }
  }

  #update(text: string, { key, make, expireIn }: Update): void {
    const change = this.#changes.get(text);
    const held = change === undefined ? this.#documents.get(text)?.value : change.value;
    const value = make(held, change?.isOwn === true);
    this.#changes.set(text, { key, value, deleted: false, expireIn, isOwn: true });
  }

  /** Whether everything the work has read is as it was, others of this batch included. */
  #holds({ basis }: Entry): boolean {
    for (const [text, { versionstamp }] of basis) {
      if (this.#changes.has(text)) return false;
      if (this.#documents.get(text)?.versionstamp !== versionstamp) return false;
    }
    return true;
  }

  /** The atomic of everything decided: it holds only if nobody else touched what was relied on. */
  toAtomic(kv: Deno.Kv): Deno.AtomicOperation {
    const atomic = kv.atomic();
    for (const { key, versionstamp } of this.#relied.values()) {
      atomic.check({ key, versionstamp });
    }
    for (const { key, value, deleted, expireIn } of this.#writes()) {
      if (deleted) atomic.delete(key);
      else atomic.set(key, value, expireIn === undefined ? {} : { expireIn });
    }
    return atomic;
  }

  *#writes(): Iterable<Change> {
    yield* this.#changes.values();
    yield* this.#notes.values();
  }

  /** Tells all whose outcome is certain. */
  tell(): void {
    for (const verdict of this.verdicts) {
      if (verdict.kind === "told") verdict.entry.resolve(verdict.result);
      else if (verdict.kind === "failed") verdict.entry.reject(verdict.error);
    }
  }

  /** Notes in the documents that the atomic was committed; it was sent when their count was `seen`. */
  settle(versionstamp: string, seen: number): void {
    for (const [text, { key, value, remembered }] of this.#notes) {
      if (remembered) this.#documents.put(text, { key, value, versionstamp, seen });
      else this.#documents.drop([text]);
    }
    for (const [text, before] of this.#relied) {
      const change = this.#changes.get(text);
      if (change === undefined) {
        // Checked, so it was current when the commit was made; unless somebody has read a newer one.
        const isSame = this.#documents.get(text)?.versionstamp === before.versionstamp;
        if (isSame) this.#documents.touch(text, seen);
      } else if (change.deleted) {
        // Hardly anybody asks for it again, and who does reads it: kept, it would crowd out what is used.
        this.#documents.drop([text]);
      } else {
        this.#documents.put(text, { key: change.key, value: change.value, versionstamp, seen });
      }
    }
  }

  /** What must be read again after the atomic failed, as it was relied on. */
  get reliedOn(): ReadonlyMap<string, Document> {
    return this.#relied;
  }

  /** A decision without writes: nothing checks it, so what it saw must not be old. */
  #isCertain(entry: Entry, result: unknown): boolean {
    if (entry.operation.isFinal?.(result) === true) return true;
    // Work on a cached view that is refused is done again on a fresh one.
    if (entry.view?.fresh === false) return true;
    return this.#isFresh(entry);
  }

  #isFresh(entry: Entry): boolean {
    for (const text of entry.keys.keys()) {
      if (this.#changes.has(text)) continue;
      if ((this.#documents.get(text)?.seen ?? 0) <= entry.since) return false;
    }
    return true;
  }
}

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/** What one entry sees of its batch, and what it would change. */
class EntryDraft implements Draft {
  #entry: Entry;
  #batch: { changes: ReadonlyMap<string, Change>; documents: Documents };
  #changes: Map<string, Change> | undefined;
  #updates: Map<string, Update> | undefined;
  #notes: Map<string, Change> | undefined;

  constructor(
    entry: Entry,
    batch: { changes: ReadonlyMap<string, Change>; documents: Documents },
  ) {
    this.#entry = entry;
    this.#batch = batch;
  }

  get changes(): ReadonlyMap<string, Change> {
    return this.#changes ?? NOTHING;
  }

  get updates(): ReadonlyMap<string, Update> {
    return this.#updates ?? NOTHING;
  }

  get notes(): ReadonlyMap<string, Change> {
    return this.#notes ?? NOTHING;
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
    if (this.#updates?.has(text) || this.#changes?.has(text)) throw changedTwice();
    this.#updates ??= new Map();
    this.#updates.set(text, { key, make: make as Make, expireIn: options?.expireIn });
  }

  delete(key: Deno.KvKey): void {
    this.#put({ key, value: undefined, deleted: true, expireIn: undefined });
  }

  note(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void {
    this.#note({ key, value, deleted: value === undefined, expireIn: options?.expireIn });
  }

  create(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void {
    const expireIn = options?.expireIn;
    this.#note({ key, value, deleted: false, expireIn, remembered: true });
  }

  #note(note: Change): void {
    this.#notes ??= new Map();
    this.#notes.set(keyText(note.key), note);
  }

  #put(change: Change): void {
    const text = this.#textOf(change.key);
    if (this.#updates?.has(text)) throw changedTwice();
    this.#changes ??= new Map();
    this.#changes.set(text, change);
  }

  #textOf(key: Deno.KvKey): string {
    const text = keyText(key);
    if (this.#entry.keys.has(text)) return text;
    throw new Error("an operation touched a key it did not name");
  }
}

function changedTwice(): Error {
  return new Error("an operation updates a key that it changes otherwise as well");
}
