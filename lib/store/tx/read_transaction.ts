import { type CachedEntry, encodeKey, type KvCache } from "./kv_cache.ts";
import { StoreUnavailableError } from "./operation.ts";

const MAX_ATTEMPTS = 50;

/** The cached view has not seen a key: the work is done again on a fresh one. */
export class CacheMissError extends Error {
  override name = "ColdError";

  constructor() {
    super("not in memory");
  }
}

/** What the work had read was changed by somebody else before its operation was committed. */
export class ConflictError extends Error {
  override name = "ChangedError";
}

/** The part of a store that reading one record takes: a `Deno.Kv` is one, a view is one. */
export interface KvReader {
  get<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>>;
  /** As `get`, of a value that never changes once it is there: no work depends on its staying so. */
  peek?<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>>;
  /** Reads together what will be asked for one by one. */
  preload?(keys: () => readonly Deno.KvKey[]): Promise<void>;
}

/**
 * What one piece of work reads, at which versions. An operation that is run with a view is committed
 * only while all of it still is as it was read: the work and its decision are one transaction, whatever
 * time lies between them. What the operation names as its own key it looks at again by itself, and only
 * there. Values are shared: never change one in place.
 */
export class ReadTransaction implements KvReader {
  /** Reads the store for whatever was not seen since the work began; otherwise memory alone. */
  readonly isFresh: boolean;
  /** The committer's count when the work began. */
  readonly since: number;
  #cache: KvCache;
  #load: (keys: ReadonlyMap<string, Deno.KvKey>) => Promise<void>;
  #read = new Map<string, { key: Deno.KvKey; versionstamp: string | null }>();

  /** `load` reads keys that were not seen since then. */
  constructor(
    documents: KvCache,
    options: {
      fresh: boolean;
      since: number;
      load: (keys: ReadonlyMap<string, Deno.KvKey>) => Promise<void>;
    },
  ) {
    this.#cache = documents;
    this.#load = options.load;
    this.isFresh = options.fresh;
    this.since = options.since;
  }

  /** What was read, by the key's text. */
  get readSet(): ReadonlyMap<string, { key: Deno.KvKey; versionstamp: string | null }> {
    return this.#read;
  }

  async get<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    const entry = await this.peek<T>(key);
    const text = encodeKey(key);
    // The first version seen is the one that must still hold.
    if (!this.#read.has(text)) this.#read.set(text, { key, versionstamp: entry.versionstamp });
    return entry;
  }

  async peek<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    const { value, versionstamp } = await this.#document(encodeKey(key), key);
    const entry = { key, value: versionstamp === null ? null : value, versionstamp };
    return entry as Deno.KvEntryMaybe<T>;
  }

  async #document(text: string, key: Deno.KvKey): Promise<CachedEntry> {
    if (this.isFresh) await this.#load(new Map([[text, key]]));
    let document = this.#cache.get(text);
    // A commit that failed in between makes memory forget: what was forgotten is read once more.
    for (let tries = 0; this.isFresh && document === undefined && tries < MAX_ATTEMPTS; tries++) {
      await this.#load(new Map([[text, key]]));
      document = this.#cache.get(text);
    }
    if (document !== undefined) return document;
    throw this.isFresh ? new StoreUnavailableError("the store is busy") : new CacheMissError();
  }

  /** Reads together what will be asked for one by one, or touched by an operation. */
  async preload(keys: () => readonly Deno.KvKey[]): Promise<void> {
    if (!this.isFresh) return;
    await this.#load(new Map(keys().map((key) => [encodeKey(key), key])));
  }
}

const EMPTY_READ_SET: ReadTransaction["readSet"] = new Map();

/** What must still be as it was read: not the operation's own keys, so that many may be at the same one. */
export function readSetExcluding(
  view: ReadTransaction | undefined,
  own: ReadonlyMap<string, Deno.KvKey>,
): ReadTransaction["readSet"] {
  if (view === undefined) return EMPTY_READ_SET;
  return new Map([...view.readSet].filter(([text]) => !own.has(text)));
}
