import { type Document, type Documents, keyText } from "./documents.ts";
import { StoreUnavailableError } from "./operation.ts";

const MAX_TRIES = 50;

/** The cached view has not seen a key: the work is done again on a fresh one. */
export class ColdError extends Error {
  override name = "ColdError";

  constructor() {
    super("not in memory");
  }
}

/** What the work had read was changed by somebody else before its operation was committed. */
export class ChangedError extends Error {
  override name = "ChangedError";
}

/** The part of a store that reading one record takes: a `Deno.Kv` is one, a view is one. */
export interface KvReader {
  get<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>>;
  /** As `get`, of a value that never changes once it is there: no work depends on its staying so. */
  glance?<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>>;
  /** Reads together what will be asked for one by one. */
  preload?(keys: () => readonly Deno.KvKey[]): Promise<void>;
}

/**
 * What one piece of work reads, at which versions. An operation that is run with a view is committed
 * only while all of it still is as it was read: the work and its decision are one transaction, whatever
 * time lies between them. What the operation names as its own key it looks at again by itself, and only
 * there. Values are shared: never change one in place.
 */
export class View implements KvReader {
  /** Reads the store for whatever was not seen since the work began; otherwise memory alone. */
  readonly fresh: boolean;
  /** The committer's count when the work began. */
  readonly since: number;
  #documents: Documents;
  #load: (keys: ReadonlyMap<string, Deno.KvKey>) => Promise<void>;
  #read = new Map<string, { key: Deno.KvKey; versionstamp: string | null }>();

  /** `load` reads keys that were not seen since then. */
  constructor(
    documents: Documents,
    options: {
      fresh: boolean;
      since: number;
      load: (keys: ReadonlyMap<string, Deno.KvKey>) => Promise<void>;
    },
  ) {
    this.#documents = documents;
    this.#load = options.load;
    this.fresh = options.fresh;
    this.since = options.since;
  }

  /** What was read, by the key's text. */
  get basis(): ReadonlyMap<string, { key: Deno.KvKey; versionstamp: string | null }> {
    return this.#read;
  }

  async get<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    const entry = await this.glance<T>(key);
    const text = keyText(key);
    // The first version seen is the one that must still hold.
    if (!this.#read.has(text)) this.#read.set(text, { key, versionstamp: entry.versionstamp });
    return entry;
  }

  async glance<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    const { value, versionstamp } = await this.#document(keyText(key), key);
    const entry = { key, value: versionstamp === null ? null : value, versionstamp };
    return entry as Deno.KvEntryMaybe<T>;
  }

  async #document(text: string, key: Deno.KvKey): Promise<Document> {
    if (this.fresh) await this.#load(new Map([[text, key]]));
    let document = this.#documents.get(text);
    // A commit that failed in between makes memory forget: what was forgotten is read once more.
    for (let tries = 0; this.fresh && document === undefined && tries < MAX_TRIES; tries++) {
      await this.#load(new Map([[text, key]]));
      document = this.#documents.get(text);
    }
    if (document !== undefined) return document;
    throw this.fresh ? new StoreUnavailableError("the store is busy") : new ColdError();
  }

  /** Reads together what will be asked for one by one, or touched by an operation. */
  async preload(keys: () => readonly Deno.KvKey[]): Promise<void> {
    if (!this.fresh) return;
    await this.#load(new Map(keys().map((key) => [keyText(key), key])));
  }
}

const NOTHING: View["basis"] = new Map();

/** What must still be as it was read: not the operation's own keys, so that many may be at the same one. */
export function basisOf(
  view: View | undefined,
  own: ReadonlyMap<string, Deno.KvKey>,
): View["basis"] {
  if (view === undefined) return NOTHING;
  return new Map([...view.basis].filter(([text]) => !own.has(text)));
}
