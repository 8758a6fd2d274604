/** A value as it was last read from or written to the store. */
export interface CachedEntry {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  /** `null` if the key is absent. */
  readonly versionstamp: string | null;
  /** The cache's tick when its read began or its commit was sent. */
  readonly seenAt: number;
}

/** Deno KV reads at most this many keys in one call. */
const KEYS_PER_READ = 10;

/** Estimated memory of a value apart from its content: an object header and a map entry. */
const BASE_BYTES = 100;

/** Estimated bytes that a stored value takes in memory; fast rather than exact. */
export function estimateSize(value: unknown): number {
  if (typeof value === "string") return BASE_BYTES + value.length * 2;
  if (value instanceof Uint8Array) return BASE_BYTES + value.length;
  if (typeof value !== "object" || value === null) return BASE_BYTES;
  // Stored arrays are homogeneous (times, ids), so the first element is representative.
  if (Array.isArray(value) && typeof value[0] === "number") return BASE_BYTES + value.length * 8;
  return Object.values(value).reduce<number>((sum, part) => sum + estimateSize(part), BASE_BYTES);
}

/** Encodes a key as a string; equal keys have equal encodings. Called many times per operation. */
export function encodeKey(key: Deno.KvKey): string {
  let text = "";
  for (const part of key) {
    if (typeof part !== "string") return encodeMixedKey(key);
    // The length prefix keeps ["a", "b"] distinct from ["ab"].
    text += `${part.length}:${part}`;
  }
  return text;
}

/** Starts with a bracket, which the encoding of a key of strings never does. */
function encodeMixedKey(key: Deno.KvKey): string {
  return JSON.stringify(key, (_k, part) => {
    if (part instanceof Uint8Array) return { bytes: part.toHex() };
    return typeof part === "bigint" ? { int: part.toString() } : part;
  });
}

type PendingRead = { done: Promise<void>; startedAt: number };

interface StoredEntry {
  entry: CachedEntry;
  size: number;
  /** When it was last read or written, milliseconds. */
  usedAt: number;
}

/** Caches the last known values of keys in use; evicts the least recently read or written first. */
export class KvCache {
  #kv: Deno.Kv;
  #maxEntries: number;
  #maxBytes: number;
  #now: () => number;
  #bytes = 0;
  #entries = new Map<string, StoredEntry>();
  #pendingReads = new Map<string, PendingRead>();
  /** Why values that were read last cannot be decoded. */
  #decodeErrors = new Map<string, unknown>();
  #tick = 0;

  constructor(
    kv: Deno.Kv,
    options: { maxEntries: number; maxBytes: number; now: () => number },
  ) {
    this.#kv = kv;
    this.#maxEntries = options.maxEntries;
    this.#maxBytes = options.maxBytes;
    this.#now = options.now;
  }

  /** A logical clock that advances with every read and write: a higher `seenAt` is fresher. */
  get tick(): number {
    return this.#tick;
  }

  /** Advances the clock: reads that start from now on have a higher tick than the result. */
  advance(): number {
    return ++this.#tick;
  }

  get(text: string): CachedEntry | undefined {
    return this.#entries.get(text)?.entry;
  }

  /** Milliseconds since it was last read or written. */
  ageOf(text: string): number {
    return this.#now() - (this.#entries.get(text)?.usedAt ?? -Infinity);
  }

  hasAll(texts: Iterable<string>): boolean {
    for (const text of texts) if (!this.#entries.has(text)) return false;
    return true;
  }

  /** Removes entries that may be outdated. */
  drop(texts: Iterable<string>): void {
    for (const text of texts) {
      this.#decodeErrors.delete(text);
      this.#bytes -= this.#entries.get(text)?.size ?? 0;
      this.#entries.delete(text);
    }
  }

  /** Stores a value that has just been committed, unless a newer one was read meanwhile. */
  put(text: string, entry: CachedEntry & { versionstamp: string }): void {
    const isOlder = (this.get(text)?.versionstamp ?? "") > entry.versionstamp;
    if (!isOlder) this.#store(text, entry);
  }

  /** Marks an entry as still current at tick `seenAt`, and as recently used. */
  touch(text: string, seenAt: number): void {
    const stored = this.#entries.get(text);
    if (stored === undefined) return;
    this.#entries.delete(text);
    const entry = { ...stored.entry, seenAt: Math.max(seenAt, stored.entry.seenAt) };
    this.#entries.set(text, { ...stored, entry, usedAt: this.#now() });
  }

  /** Stores keys that nobody can have written yet as absent, without a read. */
  assumeAbsent(texts: readonly string[], keys: ReadonlyMap<string, Deno.KvKey>): void {
    for (const text of texts) {
      if (this.#entries.has(text)) continue;
      const key = keys.get(text)!;
      this.#store(text, { key, value: undefined, versionstamp: null, seenAt: ++this.#tick });
    }
  }

  /** Removes those that are still absent; nobody will read them again. */
  dropAbsent(texts: readonly string[]): void {
    this.drop(texts.filter((text) => this.get(text)?.versionstamp === null));
  }

  /** Stops sharing pending reads, which may never settle, with later callers. */
  abandonReads(): void {
    this.#pendingReads.clear();
  }

  /**
   * Reads the keys that are not cached or were last seen at or before tick `since`. Callers that miss the
   * same key at the same time share one read. Throws the decoding error of a value of these keys.
   */
  async load(keys: ReadonlyMap<string, Deno.KvKey>, since = -1): Promise<void> {
    const isStale = (seenAt: number | undefined) => seenAt === undefined || seenAt <= since;
    const missing = [...keys].filter(([text]) => isStale(this.get(text)?.seenAt));
    const unshared: [string, Deno.KvKey][] = [];
    const reads: Promise<void>[] = [];
    for (const one of missing) {
      const pending = this.#pendingReads.get(one[0]);
      if (pending === undefined || pending.startedAt <= since) unshared.push(one);
      else reads.push(pending.done);
    }
    for (let i = 0; i < unshared.length; i += KEYS_PER_READ) {
      reads.push(this.#read(unshared.slice(i, i + KEYS_PER_READ)));
    }
    await Promise.all(reads);
    for (const [text] of missing) {
      if (this.#decodeErrors.has(text)) throw this.#decodeErrors.get(text);
    }
  }

  /** Reads and caches up to 10 keys in one consistent snapshot of the store; answers their values. */
  async readSnapshot(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    const seenAt = ++this.#tick;
    const entries = await this.#kv.getMany([...keys]);
    return entries.map(({ key, value, versionstamp }) => {
      const entry = { key, value: value ?? undefined, versionstamp, seenAt };
      this.#storeRead(encodeKey(key), entry);
      return entry.value;
    });
  }

  /** Reads up to 10 entries again; true if none has changed. */
  async areCurrent(entries: readonly CachedEntry[]): Promise<boolean> {
    await this.readSnapshot(entries.map(({ key }) => key));
    return entries.every(({ key, versionstamp }) => {
      return this.get(encodeKey(key))?.versionstamp === versionstamp;
    });
  }

  #read(wanted: [string, Deno.KvKey][]): Promise<void> {
    // A value is as old as the start of its read: it may have changed before the response arrived.
    const startedAt = ++this.#tick;
    const isOwn = (text: string) => this.#pendingReads.get(text)?.done === done;
    const done = this.#kv.getMany(wanted.map(([, key]) => key)).then((entries) => {
      entries.forEach((read, i) => {
        const [text, key] = wanted[i]!;
        try {
          const { value, versionstamp } = read;
          this.#storeRead(text, {
            key,
            value: value ?? undefined,
            versionstamp,
            seenAt: startedAt,
          });
        } catch (error) {
          // Fails operations on this key only, not those that read other keys in the same call.
          this.drop([text]);
          this.#decodeErrors.set(text, error);
        }
      });
    }).finally(() => {
      for (const [text] of wanted) if (isOwn(text)) this.#pendingReads.delete(text);
    });
    for (const [text] of wanted) this.#pendingReads.set(text, { done, startedAt });
    return done;
  }

  /** Keeps the same object for the same version, so that values derived from it stay valid. */
  #storeRead(text: string, entry: CachedEntry): void {
    const known = this.get(text);
    if (known !== undefined && known.seenAt > entry.seenAt) return;
    const isSame = known !== undefined && known.versionstamp === entry.versionstamp;
    this.#store(text, isSame ? { ...entry, value: known.value } : entry);
  }

  #store(text: string, entry: CachedEntry): void {
    this.drop([text]);
    const size = estimateSize(entry.value);
    this.#entries.set(text, { entry, size, usedAt: this.#now() });
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) return;
      if (oldest !== text) this.drop([oldest]);
    }
  }
}
