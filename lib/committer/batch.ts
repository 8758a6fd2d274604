import { type Documents, keyText } from "./documents.ts";
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
  /** Milliseconds since the epoch; told `StoreUnavailableError` from then on. */
  readonly deadline: number;
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
}

/** Decides entries in order on a working copy, and knows the one atomic that would make them true. */
export class Batch {
  readonly verdicts: Verdict[] = [];
  #documents: Documents;
  #changes = new Map<string, Change>();
  #notes = new Map<string, Change>();
  /** Documents that a decision with writes relied on. */
  #relied = new Set<string>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  get writes(): boolean {
    return this.#changes.size > 0 || this.#notes.size > 0;
  }

  decide(entry: Entry): void {
    const own = new Map<string, Change>();
    const notes = new Map<string, Change>();
    let result: unknown;
    try {
      if (!this.#holds(entry)) throw new ChangedError("what was read has changed");
      result = entry.operation.decide(this.#draft(entry, { own, notes }));
    } catch (error) {
      this.verdicts.push({ kind: "failed", entry, error });
      return;
    }
    if (own.size + notes.size > 0) {
      for (const [text, change] of own) this.#changes.set(text, change);
      for (const [text, note] of notes) this.#notes.set(text, note);
      for (const text of entry.keys.keys()) this.#relied.add(text);
      this.verdicts.push({ kind: "told", entry, result });
    } else if (this.#isCertain(entry, result)) {
      this.verdicts.push({ kind: "told", entry, result });
    } else {
      this.verdicts.push({ kind: "stale", entry });
    }
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
    for (const text of this.#relied) {
      const { key, versionstamp } = this.#documents.get(text)!;
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

  /** Notes in the documents that the atomic was committed. */
  settle(versionstamp: string): void {
    this.#documents.drop(this.#notes.keys());
    for (const text of this.#relied) {
      const change = this.#changes.get(text);
      const before = this.#documents.get(text);
      if (change === undefined) {
        // Checked, so it was current when the commit was made.
        if (before) this.#documents.put(text, before);
      } else if (change.deleted) {
        this.#documents.put(text, { key: change.key, value: undefined, versionstamp: null });
      } else {
        this.#documents.put(text, { key: change.key, value: change.value, versionstamp });
      }
    }
  }

  /** What must be read again after the atomic failed. */
  get reliedOn(): Iterable<string> {
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

  #draft(
    entry: Entry,
    { own, notes }: { own: Map<string, Change>; notes: Map<string, Change> },
  ): Draft {
    const textOf = (key: Deno.KvKey): string => {
      const text = keyText(key);
      if (!entry.keys.has(text)) throw new Error("an operation touched a key it did not name");
      return text;
    };
    const put = (key: Deno.KvKey, change: Omit<Change, "key">) => {
      own.set(textOf(key), { key, ...change });
    };
    return {
      get: <T>(key: Deno.KvKey) => {
        const text = textOf(key);
        const change = own.get(text) ?? this.#changes.get(text);
        return (change ? change.value : this.#documents.get(text)?.value) as T | undefined;
      },
      set: (key, value, options) =>
        put(key, { value, deleted: false, expireIn: options?.expireIn }),
      delete: (key) => put(key, { value: undefined, deleted: true, expireIn: undefined }),
      note: (key, value, options) => {
        const deleted = value === undefined;
        notes.set(keyText(key), { key, value, deleted, expireIn: options?.expireIn });
      },
    };
  }
}
