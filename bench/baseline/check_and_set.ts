import { encodeKey } from "@/lib/store/tx/kv_cache.ts";
import type { Operation, Transaction } from "@/lib/store/tx/operation.ts";
import { ConflictError, type KvReader } from "@/lib/store/tx/read_transaction.ts";

/** Deno KV reads at most this many keys at once. */
const KEYS_PER_READ = 10;

/** What callers use of the group committer. */
type CommitterMethod = "run" | "transact" | "getCached" | "readSnapshot" | "onContended";

type Entries = Map<string, Deno.KvEntryMaybe<unknown>>;

/** The entries that one piece of work has read, each key once. */
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
 * The baseline: the check-and-set loop of Deno KV's manual. Read the keys, decide, commit if nothing has
 * changed, otherwise repeat. It has the group committer's methods, so both run the same rules, keys and
 * records; it is exact too, but commits each caller's operation separately.
 */
export class CheckAndSet implements Record<CommitterMethod, unknown> {
  #kv: Deno.Kv;
  #signal: AbortSignal | undefined;
  #pauseMs: number;

  /** After a lost race it waits up to `pauseMs`, at random. It retries until `signal` aborts. */
  constructor(kv: Deno.Kv, options: { signal?: AbortSignal; pauseMs?: number } = {}) {
    this.#kv = kv;
    this.#signal = options.signal;
    this.#pauseMs = options.pauseMs ?? 0;
  }

  /** The baseline has no cache. */
  getCached(): undefined {
    return undefined;
  }

  /** Never calls the listener, so no record is divided: all callers are in one process. */
  onContended(): void {}

  async readSnapshot(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    return (await this.#kv.getMany<unknown[]>([...keys])).map(({ value }) => value ?? undefined);
  }

  /** Runs work that reads and ends in an operation; repeats it if what it read has changed. */
  async transact<T>(work: (reader: Reading) => Promise<T>): Promise<T> {
    while (true) {
      try {
        return await work(new Reading(this.#kv));
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }

  async run<T>(operation: Operation<T>, reading = new Reading(this.#kv)): Promise<T> {
    const readSet = reading.entries;
    await reading.preload(() => operation.keys);
    const own = new Set(operation.keys.map(encodeKey));
    let entries: Entries = readSet;
    while (true) {
      const change = this.#kv.atomic();
      for (const { key, versionstamp } of entries.values()) change.check({ key, versionstamp });
      const { tx, writes } = transactionOn(entries, change);
      const result = operation.decide(tx);
      if (writes() === 0 || (await change.commit()).ok) return result;
      this.#signal?.throwIfAborted();
      await this.#pause();
      entries = await readAll(this.#kv, [...readSet.values()].map(({ key }) => key));
      for (const [text, { versionstamp }] of readSet) {
        if (own.has(text) || entries.get(text)?.versionstamp === versionstamp) continue;
        throw new ConflictError("what was read has changed");
      }
    }
  }

  async #pause(): Promise<void> {
    if (this.#pauseMs === 0) return;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * this.#pauseMs));
  }
}

async function readAll(kv: Deno.Kv, keys: readonly Deno.KvKey[]): Promise<Entries> {
  const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
  for (let i = 0; i < keys.length; i += KEYS_PER_READ) {
    reads.push(kv.getMany<unknown[]>(keys.slice(i, i + KEYS_PER_READ)));
  }
  return new Map((await Promise.all(reads)).flat().map((entry) => [encodeKey(entry.key), entry]));
}

/** A transaction whose writes go directly into the atomic operation. */
function transactionOn(
  entries: Entries,
  change: Deno.AtomicOperation,
): { tx: Transaction; writes: () => number } {
  const written = new Map<string, unknown>();
  let writes = 0;
  const put = (key: Deno.KvKey, value: unknown, options: { expireIn?: number } = {}) => {
    writes++;
    if (value === undefined) change.delete(key);
    else change.set(key, value, options);
  };
  const tx: Transaction = {
    get: <T>(key: Deno.KvKey) => {
      const text = encodeKey(key);
      if (written.has(text)) return written.get(text) as T;
      return (entries.get(text)?.value ?? undefined) as T | undefined;
    },
    set: (key, value, options) => {
      written.set(encodeKey(key), value);
      put(key, value, options);
    },
    // The value was read for this operation alone, so it may be mutated.
    update: <T>(
      key: Deno.KvKey,
      make: (held: T | undefined, isOwn: boolean) => T,
      options?: { expireIn?: number },
    ) => {
      const held = tx.get<T>(key);
      tx.set(key, make(held, held !== undefined), options);
    },
    delete: (key) => tx.blindWrite(key, undefined),
    blindWrite: put,
    create: put,
  };
  return { tx, writes: () => writes };
}
