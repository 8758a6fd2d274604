import { type CachedEntry, encodeKey, type KvCache } from "./kv_cache.ts";
import { StoreUnavailableError } from "./operation.ts";

const MAX_ATTEMPTS = 50;

/** A key is not in the cache; the work is repeated on fresh values. */
export class CacheMissError extends Error {
  override name = "CacheMissError";

  constructor() {
    super("not in the cache");
  }
}

/** A value that the work read was changed before its operation was committed. */
export class ConflictError extends Error {
  override name = "ConflictError";
}

/** The part of a store that reads single records; `Deno.Kv` and `ReadTransaction` implement it. */
export interface KvReader {
  get<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>>;
  /** Like `get`, for a value that never changes once written: it is not added to the read set. */
  peek?<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>>;
  /** Reads keys together that are about to be read one by one. */
  preload?(keys: () => readonly Deno.KvKey[]): Promise<void>;
}

/** The versions of what was read, by encoded key. */
type ReadSet = ReadonlyMap<string, { key: Deno.KvKey; versionstamp: string | null }>;

/**
 * Records which values at which versions one piece of work reads. An operation that runs with it commits
 * only if they are all unchanged, so the work and its decision are one transaction. The operation's own
 * keys are exempt: the operation reads those itself. Values are shared and must not be mutated.
 */
export class ReadTransaction implements KvReader {
  /** If true, values that were not read since the work began are read again; otherwise only the cache is used. */
  readonly isFresh: boolean;
  /** The cache's tick when the work began. */
  readonly since: number;
  #cache: KvCache;
  #load: (keys: ReadonlyMap<string, Deno.KvKey>) => Promise<void>;
  #read = new Map<string, { key: Deno.KvKey; versionstamp: string | null }>();

  /** `load` caches keys that were not read since the work began. */
  constructor(
    cache: KvCache,
    options: {
      isFresh: boolean;
      since: number;
      load: (keys: ReadonlyMap<string, Deno.KvKey>) => Promise<void>;
    },
  ) {
    this.#cache = cache;
    this.#load = options.load;
    this.isFresh = options.isFresh;
    this.since = options.since;
  }

  get readSet(): ReadSet {
    return this.#read;
  }

  async get<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    const entry = await this.peek<T>(key);
    const text = encodeKey(key);
    // The first version read is the one that must still be current at the commit.
    if (!this.#read.has(text)) this.#read.set(text, { key, versionstamp: entry.versionstamp });
    return entry;
  }

  async peek<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    const { value, versionstamp } = await this.#find(encodeKey(key), key);
    const entry = { key, value: versionstamp === null ? null : value, versionstamp };
    return entry as Deno.KvEntryMaybe<T>;
  }

  async #find(text: string, key: Deno.KvKey): Promise<CachedEntry> {
    if (!this.isFresh) {
      const entry = this.#cache.get(text);
      if (entry === undefined) throw new CacheMissError();
      return entry;
    }
    // A commit that fails meanwhile evicts its keys, so an entry may be gone right after its read.
    for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt++) {
      await this.#load(new Map([[text, key]]));
      const entry = this.#cache.get(text);
      if (entry !== undefined) return entry;
    }
    throw new StoreUnavailableError("the store is busy");
  }

  async preload(keys: () => readonly Deno.KvKey[]): Promise<void> {
    if (!this.isFresh) return;
    await this.#load(new Map(keys().map((key) => [encodeKey(key), key])));
  }
}

const EMPTY_READ_SET: ReadSet = new Map();

/** The read set without an operation's `own` keys, so that many operations can share such a key. */
export function readSetExcluding(
  reads: ReadTransaction | undefined,
  own: ReadonlyMap<string, Deno.KvKey>,
): ReadSet {
  if (reads === undefined) return EMPTY_READ_SET;
  return new Map([...reads.readSet].filter(([text]) => !own.has(text)));
}
