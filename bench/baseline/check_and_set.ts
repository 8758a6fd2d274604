import { encodeKey } from "@/lib/store/tx/kv_cache.ts";
import type { Operation, Transaction } from "@/lib/store/tx/operation.ts";
import { ConflictError, type KvReader } from "@/lib/store/tx/read_transaction.ts";

/** Deno KV reads at most this many keys at once. */
const KEYS_PER_READ = 10;

type Entries = Map<string, Deno.KvEntryMaybe<unknown>>;

/** What one piece of work has read, each key once. */
class Reading implements KvReader {
  readonly entries: Entries = new Map();
  #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  async get<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    await this.preload(() => [key]);
    return this.entries.get(encodeKey(key)) as Deno.KvEntryMaybe<T>;
  }

  async preload(wanted: () => readonly Deno.KvKey[]): Promise<void> {
    const keys = wanted();
    const missing = keys.filter((key) => !this.entries.has(encodeKey(key)));
    for (const [text, entry] of await readAll(this.#kv, missing)) this.entries.set(text, entry);
  }
}

/**
 * What the committer is compared with: the check-and-set loop that Deno KV's manual teaches. Read the
 * keys, decide, commit if nothing has changed, otherwise again. It has the committer's methods, so both
 * run the very same rules, keys and records; exact as well, only every caller is on its own.
 */
export class CheckAndSet {
  #kv: Deno.Kv;
  #signal: AbortSignal | undefined;
  #pauseMs: number;

  /** After a lost race it waits up to `pauseMs`, at random. It tries until `signal` aborts. */
  constructor(kv: Deno.Kv, options: { signal?: AbortSignal; pauseMs?: number } = {}) {
    this.#kv = kv;
    this.#signal = options.signal;
    this.#pauseMs = options.pauseMs ?? 0;
  }

  /** There is no memory to look at. */
  peek(): undefined {
    return undefined;
  }

  /** Work that reads, and ends in an operation; done again when what it read has changed. */
  async work<T>(work: (reader: Reading) => Promise<T>): Promise<T> {
    while (true) {
      try {
        return await work(new Reading(this.#kv));
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }

  async run<T>(operation: Operation<T>, reading = new Reading(this.#kv)): Promise<T> {
    const basis = reading.entries;
    await reading.preload(() => operation.keys);
    const own = new Set(operation.keys.map(encodeKey));
    let entries: Entries = basis;
    while (true) {
      const change = this.#kv.atomic();
      for (const { key, versionstamp } of entries.values()) change.check({ key, versionstamp });
      const { draft, writes } = draftOn(entries, change);
      const result = operation.decide(draft);
      if (writes() === 0 || (await change.commit()).ok) return result;
      this.#signal?.throwIfAborted();
      await this.#pause();
      entries = await readAll(this.#kv, [...basis.values()].map(({ key }) => key));
      for (const [text, { versionstamp }] of basis) {
        if (own.has(text) || entries.get(text)?.versionstamp === versionstamp) continue;
        throw new ConflictError("what was read has changed");
      }
    }
  }

  async #pause(): Promise<void> {
    if (this.#pauseMs === 0) return;
    await new Promise((wake) => setTimeout(wake, Math.random() * this.#pauseMs));
  }
}

async function readAll(kv: Deno.Kv, keys: readonly Deno.KvKey[]): Promise<Entries> {
  const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
  for (let i = 0; i < keys.length; i += KEYS_PER_READ) {
    reads.push(kv.getMany<unknown[]>(keys.slice(i, i + KEYS_PER_READ)));
  }
  return new Map((await Promise.all(reads)).flat().map((entry) => [encodeKey(entry.key), entry]));
}

/** A draft whose writes go straight into the atomic. */
function draftOn(
  entries: Entries,
  change: Deno.AtomicOperation,
): { draft: Transaction; writes: () => number } {
  const written = new Map<string, unknown>();
  let writes = 0;
  const put = (key: Deno.KvKey, value: unknown, options: { expireIn?: number } = {}) => {
    writes++;
    if (value === undefined) change.delete(key);
    else change.set(key, value, options);
  };
  const draft: Transaction = {
    get: <T>(key: Deno.KvKey) => {
      const text = encodeKey(key);
      if (written.has(text)) return written.get(text) as T;
      return (entries.get(text)?.value ?? undefined) as T | undefined;
    },
    set: (key, value, options) => {
      written.set(encodeKey(key), value);
      put(key, value, options);
    },
    // What it holds was read for it alone.
    update: <T>(
      key: Deno.KvKey,
      make: (held: T | undefined, isOwn: boolean) => T,
      options?: { expireIn?: number },
    ) => {
      const held = draft.get<T>(key);
      draft.set(key, make(held, held !== undefined), options);
    },
    delete: (key) => draft.blindWrite(key, undefined),
    blindWrite: put,
    create: put,
  };
  return { draft, writes: () => writes };
}
