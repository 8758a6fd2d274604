/** What a value weighs in memory by itself: an object's header and its place in a map. */
const BASE_BYTES = 100;

/** About how many bytes a stored value takes in memory; cheap rather than exact. */
export function estimateSize(value: unknown): number {
  if (typeof value === "string") return BASE_BYTES + value.length * 2;
  if (value instanceof Uint8Array) return BASE_BYTES + value.length;
  if (typeof value !== "object" || value === null) return BASE_BYTES;
  // Long lists are of one kind here (times, ids), so the first speaks for all.
  if (Array.isArray(value) && typeof value[0] === "number") return BASE_BYTES + value.length * 8;
  return Object.values(value).reduce<number>((sum, part) => sum + estimateSize(part), BASE_BYTES);
}

/** A value as it was last seen in the store. */
export interface CachedEntry {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  /** `null` when there is none. */
  readonly versionstamp: string | null;
  /** When its read began or its write was done, in the committer's own count. */
  readonly seenAt: number;
}

/** Deno KV reads at most this many keys at once. */
const KEYS_PER_READ = 10;

/** The text under which a key is known in memory: equal keys have equal texts. */
export function encodeKey(key: Deno.KvKey): string {
  // Asked for many times an operation; each part's length keeps ["a", "b"] apart from ["ab"].
  let text = "";
  for (const part of key) {
    if (typeof part !== "string") return encodeMixedKey(key);
    text += `${part.length}:${part}`;
  }
  return text;
}

/** Begins with a bracket, as the text of a key of strings never does. */
function encodeMixedKey(key: Deno.KvKey): string {
  return JSON.stringify(key, (_k, part) => {
    if (part instanceof Uint8Array) return { bytes: part.toHex() };
    return typeof part === "bigint" ? { int: part.toString() } : part;
  });
}

interface PendingRead {
  done: Promise<void>;
  startedAt: number;
}

interface WeightedEntry {
  entry: CachedEntry;
  weight: number;
  /** When it was last read or written, milliseconds. */
  usedAt: number;
}

/** The last-seen values of the keys that are in use, the longest untouched forgotten first. */
export class KvCache {
  #kv: Deno.Kv;
  #limit: number;
  #maxWeight: number;
  #now: () => number;
  #weight = 0;
  #entryByKey = new Map<string, WeightedEntry>();
  #pendingReads = new Map<string, PendingRead>();
  /** Why values that were read last cannot be decoded. */
  #decodeErrors = new Map<string, unknown>();
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

  get(text: string): CachedEntry | undefined {
    return this.#entryByKey.get(text)?.entry;
  }

  /** Milliseconds since it was last read or written. */
  ageOf(text: string): number {
    return this.#now() - (this.#entryByKey.get(text)?.usedAt ?? -Infinity);
  }

  hasAll(texts: Iterable<string>): boolean {
    for (const text of texts) if (!this.#entryByKey.has(text)) return false;
    return true;
  }

  /** Forgets what is no longer to be believed. */
  drop(texts: Iterable<string>): void {
    for (const text of texts) {
      this.#decodeErrors.delete(text);
      this.#weight -= this.#entryByKey.get(text)?.weight ?? 0;
      this.#entryByKey.delete(text);
    }
  }

  /** Notes a value that has just been committed. */
  put(text: string, document: CachedEntry & { versionstamp: string }): void {
    // Somebody may have read what was written after it meanwhile.
    const known = this.get(text);
    const isOlder = (known?.versionstamp ?? "") > document.versionstamp;
    if (!isOlder) this.#store(text, document);
  }

  /** Notes that a value was current when the count was at `seen`. */
  touch(text: string, seen: number): void {
    const kept = this.#entryByKey.get(text);
    if (kept === undefined) return;
    // Moved to the end of those to be forgotten.
    this.#entryByKey.delete(text);
    const latest = Math.max(seen, kept.entry.seenAt);
    const document = { ...kept.entry, seen: latest };
    this.#entryByKey.set(text, { ...kept, entry: document, usedAt: this.#now() });
  }

  /** Counts a moment: what is asked from now on is later than it. */
  advance(): number {
    return ++this.#seen;
  }

  /** Takes keys that nobody can have written yet to be absent, without a look. */
  assumeAbsent(texts: readonly string[], keys: ReadonlyMap<string, Deno.KvKey>): void {
    for (const text of texts) {
      if (this.#entryByKey.has(text)) continue;
      const key = keys.get(text)!;
      this.#store(text, { key, value: undefined, versionstamp: null, seenAt: ++this.#seen });
    }
  }

  /** Forgets those that are absent still: nobody will ask for them again. */
  dropAbsent(texts: readonly string[]): void {
    this.drop(texts.filter((text) => this.get(text)?.versionstamp === null));
  }

  /** No longer waits for reads that do not come back. */
  abandonReads(): void {
    this.#pendingReads.clear();
  }

  /**
   * Reads the keys that are not known, or not known since `since`; callers who miss the same key at
   * the same time share one read. Throws what a value of these keys throws that cannot be decoded.
   */
  async load(keys: ReadonlyMap<string, Deno.KvKey>, since = -1): Promise<void> {
    const isLate = (seen: number | undefined) => seen === undefined || seen <= since;
    const missing = [...keys].filter(([text]) => isLate(this.get(text)?.seenAt));
    const own: [string, Deno.KvKey][] = [];
    const waited: Promise<void>[] = [];
    for (const one of missing) {
      const reading = this.#pendingReads.get(one[0]);
      if (reading === undefined || reading.startedAt <= since) own.push(one);
      else waited.push(reading.done);
    }
    for (let i = 0; i < own.length; i += KEYS_PER_READ) {
      waited.push(this.#read(own.slice(i, i + KEYS_PER_READ)));
    }
    await Promise.all(waited);
    for (const [text] of missing) {
      if (this.#decodeErrors.has(text)) throw this.#decodeErrors.get(text);
    }
  }

  /** The values of up to 10 keys as they are at one moment from now on, which are kept as well. */
  async readSnapshot(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    const seen = ++this.#seen;
    const entries = await this.#kv.getMany([...keys]);
    return entries.map(({ key, value, versionstamp }) => {
      const document = { key, value: value ?? undefined, versionstamp, seenAt: seen };
      this.#storeRead(encodeKey(key), document);
      return document.value;
    });
  }

  #read(wanted: [string, Deno.KvKey][]): Promise<void> {
    // A value is as old as the moment its read began: it may have changed before the answer came.
    const seen = ++this.#seen;
    const isOwn = (text: string) => this.#pendingReads.get(text)?.done === done;
    const done = this.#kv.getMany(wanted.map(([, key]) => key)).then((entries) => {
      entries.forEach((entry, i) => {
        const [text, key] = wanted[i]!;
        try {
          const { value, versionstamp } = entry;
          this.#storeRead(text, { key, value: value ?? undefined, versionstamp, seenAt: seen });
        } catch (error) {
          // Only operations on this key fail: others wait for the values read with it.
          this.drop([text]);
          this.#decodeErrors.set(text, error);
        }
      });
    }).finally(() => {
      for (const [text] of wanted) if (isOwn(text)) this.#pendingReads.delete(text);
    });
    for (const [text] of wanted) this.#pendingReads.set(text, { done, startedAt: seen });
    return done;
  }

  /** The same version keeps the same object, so that what was made of it need not be made again. */
  #storeRead(text: string, document: CachedEntry): void {
    const known = this.get(text);
    if (known !== undefined && known.seenAt > document.seenAt) return;
    const same = known !== undefined && known.versionstamp === document.versionstamp;
    this.#store(text, same ? { ...document, value: known.value } : document);
  }

  #store(text: string, document: CachedEntry): void {
    this.drop([text]);
    const weight = estimateSize(document.value);
    this.#entryByKey.set(text, { entry: document, weight, usedAt: this.#now() });
    this.#weight += weight;
    if (this.#entryByKey.size > this.#limit || this.#weight > this.#maxWeight) this.#evict(text);
  }

  /** Forgets the oldest until there is room, never the one just kept. */
  #evict(kept: string): void {
    for (const text of this.#entryByKey.keys()) {
      if (this.#entryByKey.size <= this.#limit && this.#weight <= this.#maxWeight) return;
      if (text !== kept) this.drop([text]);
    }
  }
}
