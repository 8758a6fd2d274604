import { weigh } from "./weigh.ts";

/** A value as it was last seen in the store. */
export interface Document {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  /** `null` when there is none. */
  readonly versionstamp: string | null;
  /** When its read began or its write was done, in the committer's own count. */
  readonly seen: number;
}

/** Deno KV reads at most this many keys at once. */
const KEYS_PER_READ = 10;

/** The text under which a key is known in memory: equal keys have equal texts. */
export function keyText(key: Deno.KvKey): string {
  // Asked for many times an operation; each part's length keeps ["a", "b"] apart from ["ab"].
  let text = "";
  for (const part of key) {
    if (typeof part !== "string") return mixedText(key);
    text += `${part.length}:${part}`;
  }
  return text;
}

/** Begins with a bracket, as the text of a key of strings never does. */
function mixedText(key: Deno.KvKey): string {
  return JSON.stringify(key, (_k, part) => {
    if (part instanceof Uint8Array) return { bytes: part.toHex() };
    return typeof part === "bigint" ? { int: part.toString() } : part;
  });
}

interface Reading {
  done: Promise<void>;
  seen: number;
}

interface Kept {
  document: Document;
  weight: number;
  /** When it was last read or written, milliseconds. */
  at: number;
}

/** The last-seen values of the keys that are in use, the longest untouched forgotten first. */
export class Documents {
  #kv: Deno.Kv;
  #limit: number;
  #maxWeight: number;
  #now: () => number;
  #weight = 0;
  #byText = new Map<string, Kept>();
  #reading = new Map<string, Reading>();
  /** Why values that were read last cannot be decoded. */
  #unreadable = new Map<string, unknown>();
  #seen = 0;

  /** At most `limit` values, of at most `maxWeight` bytes in all (as `weigh` estimates them). */
  constructor(
    kv: Deno.Kv,
    options: { limit: number; maxWeight: number; now: () => number },
  ) {
    this.#kv = kv;
    this.#limit = options.limit;
    this.#maxWeight = options.maxWeight;
    this.#now = options.now;
  }

  /** A count that grows with every read and write: later means fresher. */
  get tick(): number {
    return this.#seen;
  }

  get(text: string): Document | undefined {
    return this.#byText.get(text)?.document;
  }

  /** Milliseconds since it was last read or written. */
  ageOf(text: string): number {
    return this.#now() - (this.#byText.get(text)?.at ?? -Infinity);
  }

  hasAll(texts: Iterable<string>): boolean {
    for (const text of texts) if (!this.#byText.has(text)) return false;
    return true;
  }

  /** Forgets what is no longer to be believed. */
  drop(texts: Iterable<string>): void {
    for (const text of texts) {
      this.#unreadable.delete(text);
      this.#weight -= this.#byText.get(text)?.weight ?? 0;
      this.#byText.delete(text);
    }
  }

  /** Notes a value that has just been committed. */
  put(text: string, document: Document & { versionstamp: string }): void {
    // Somebody may have read what was written after it meanwhile.
    const known = this.get(text);
    const isOlder = (known?.versionstamp ?? "") > document.versionstamp;
    if (!isOlder) this.#keep(text, document);
  }

  /** Notes that a value was current when the count was at `seen`. */
  touch(text: string, seen: number): void {
    const kept = this.#byText.get(text);
    if (kept === undefined) return;
    // Moved to the end of those to be forgotten.
    this.#byText.delete(text);
    const latest = Math.max(seen, kept.document.seen);
    const document = { ...kept.document, seen: latest };
    this.#byText.set(text, { ...kept, document, at: this.#now() });
  }

  /** Counts a moment: what is asked from now on is later than it. */
  mark(): number {
    return ++this.#seen;
  }

  /** Takes keys that nobody can have written yet to be absent, without a look. */
  assumeAbsent(texts: readonly string[], keys: ReadonlyMap<string, Deno.KvKey>): void {
    for (const text of texts) {
      if (this.#byText.has(text)) continue;
      const key = keys.get(text)!;
      this.#keep(text, { key, value: undefined, versionstamp: null, seen: ++this.#seen });
    }
  }

  /** Forgets those that are absent still: nobody will ask for them again. */
  dropAbsent(texts: readonly string[]): void {
    this.drop(texts.filter((text) => this.get(text)?.versionstamp === null));
  }

  /** No longer waits for reads that do not come back. */
  abandonReads(): void {
    this.#reading.clear();
  }

  /**
   * Reads the keys that are not known, or not known since `since`; callers who miss the same key at
   * the same time share one read. Throws what a value of these keys throws that cannot be decoded.
   */
  async load(keys: ReadonlyMap<string, Deno.KvKey>, since = -1): Promise<void> {
    const isLate = (seen: number | undefined) => seen === undefined || seen <= since;
    const missing = [...keys].filter(([text]) => isLate(this.get(text)?.seen));
    const own: [string, Deno.KvKey][] = [];
    const waited: Promise<void>[] = [];
    for (const one of missing) {
      const reading = this.#reading.get(one[0]);
      if (reading === undefined || reading.seen <= since) own.push(one);
      else waited.push(reading.done);
    }
    for (let i = 0; i < own.length; i += KEYS_PER_READ) {
      waited.push(this.#read(own.slice(i, i + KEYS_PER_READ)));
    }
    await Promise.all(waited);
    for (const [text] of missing) {
      if (this.#unreadable.has(text)) throw this.#unreadable.get(text);
    }
  }

  /** The values of up to 10 keys as they are at one moment from now on, which are kept as well. */
  async readTogether(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    const seen = ++this.#seen;
    const entries = await this.#kv.getMany([...keys]);
    return entries.map(({ key, value, versionstamp }) => {
      const document = { key, value: value ?? undefined, versionstamp, seen };
      this.#keepRead(keyText(key), document);
      return document.value;
    });
  }

  #read(wanted: [string, Deno.KvKey][]): Promise<void> {
    // A value is as old as the moment its read began: it may have changed before the answer came.
    const seen = ++this.#seen;
    const isOwn = (text: string) => this.#reading.get(text)?.done === done;
    const done = this.#kv.getMany(wanted.map(([, key]) => key)).then((entries) => {
      entries.forEach((entry, i) => {
        const [text, key] = wanted[i]!;
        try {
          const { value, versionstamp } = entry;
          this.#keepRead(text, { key, value: value ?? undefined, versionstamp, seen });
        } catch (error) {
          // Only operations on this key fail: others wait for the values read with it.
          this.drop([text]);
          this.#unreadable.set(text, error);
        }
      });
    }).finally(() => {
      for (const [text] of wanted) if (isOwn(text)) this.#reading.delete(text);
    });
    for (const [text] of wanted) this.#reading.set(text, { done, seen });
    return done;
  }

  /** The same version keeps the same object, so that what was made of it need not be made again. */
  #keepRead(text: string, document: Document): void {
    const known = this.get(text);
    if (known !== undefined && known.seen > document.seen) return;
    const same = known !== undefined && known.versionstamp === document.versionstamp;
    this.#keep(text, same ? { ...document, value: known.value } : document);
  }

  #keep(text: string, document: Document): void {
    this.drop([text]);
    const weight = weigh(document.value);
    this.#byText.set(text, { document, weight, at: this.#now() });
    this.#weight += weight;
    if (this.#byText.size > this.#limit || this.#weight > this.#maxWeight) this.#forget(text);
  }

  /** Forgets the oldest until there is room, never the one just kept. */
  #forget(kept: string): void {
    for (const text of this.#byText.keys()) {
      if (this.#byText.size <= this.#limit && this.#weight <= this.#maxWeight) return;
      if (text !== kept) this.drop([text]);
    }
  }
}
