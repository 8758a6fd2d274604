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
  return JSON.stringify(key, (_k, part) => {
    if (part instanceof Uint8Array) return { bytes: part.toHex() };
    return typeof part === "bigint" ? { int: part.toString() } : part;
  });
}

/** The last-seen values of the keys that are in use, the least recently used forgotten first. */
export class Documents {
  #kv: Deno.Kv;
  #limit: number;
  #byText = new Map<string, Document>();
  #reading = new Map<string, Promise<void>>();
  #seen = 0;

  constructor(kv: Deno.Kv, options: { limit: number }) {
    this.#kv = kv;
    this.#limit = options.limit;
  }

  /** A count that grows with every read and write: later means fresher. */
  get tick(): number {
    return this.#seen;
  }

  get(text: string): Document | undefined {
    return this.#byText.get(text);
  }

  /** Forgets what is no longer to be believed. */
  drop(texts: Iterable<string>): void {
    for (const text of texts) this.#byText.delete(text);
  }

  /** Notes a value that has just been committed. */
  put(text: string, document: Omit<Document, "seen">): void {
    this.#keep(text, { ...document, seen: ++this.#seen });
  }

  /** No longer waits for reads that do not come back; what they still bring is not kept. */
  abandonReads(): void {
    this.#reading.clear();
  }

  /** Reads the keys that are not known; two callers who miss the same key share one read. */
  async load(keys: ReadonlyMap<string, Deno.KvKey>): Promise<void> {
    const missing = [...keys].filter(([text]) => !this.#byText.has(text));
    const fresh = missing.filter(([text]) => !this.#reading.has(text));
    const others = missing.map(([text]) => this.#reading.get(text)).filter((p) => p !== undefined);
    const own: Promise<void>[] = [];
    for (let i = 0; i < fresh.length; i += KEYS_PER_READ) {
      own.push(this.#read(fresh.slice(i, i + KEYS_PER_READ)));
    }
    await Promise.all([...others, ...own]);
  }

  #read(wanted: [string, Deno.KvKey][]): Promise<void> {
    // A value is as old as the moment its read began: it may have changed before the answer came.
    const seen = ++this.#seen;
    const reading = this.#kv.getMany(wanted.map(([, key]) => key)).then((entries) => {
      entries.forEach((entry, i) => {
        const [text, key] = wanted[i]!;
        if (this.#reading.get(text) !== reading) return;
        const { value, versionstamp } = entry;
        this.#keep(text, { key, value: value ?? undefined, versionstamp, seen });
      });
    }).finally(() => {
      for (const [text] of wanted) {
        if (this.#reading.get(text) === reading) this.#reading.delete(text);
      }
    });
    for (const [text] of wanted) this.#reading.set(text, reading);
    return reading;
  }

  #keep(text: string, document: Document): void {
    this.#byText.delete(text);
    this.#byText.set(text, document);
    if (this.#byText.size > this.#limit) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const text of this.#byText.keys()) {
      this.#byText.delete(text);
      return;
    }
  }
}
