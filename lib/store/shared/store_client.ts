import { encodeSet, SharedAtomic } from "./shared_atomic.ts";
import { SharedList } from "./shared_list.ts";
import { watchShared } from "./shared_watch.ts";
import { StoreCalls } from "./store_calls.ts";
import type { WireMutation } from "./store_messages.ts";
import { decodeWireEntry } from "./wire_value.ts";

/** Keys in one `watch` of Deno KV. */
const MAX_WATCHED_KEYS = 10;

type ReadOptions = { consistency?: Deno.KvConsistencyLevel };

/**
 * Opens the store that another process serves with `serveStore`. It behaves as that process's own
 * `Deno.Kv`, including errors, except that it has no queues. If the connection is lost, every call in
 * flight and every later one rejects, and `onLost` is called once.
 */
export function openSharedStore(
  conn: Deno.Conn,
  { onLost }: { onLost: (error: Error) => void },
): Deno.Kv {
  return new SharedStore(new StoreCalls(conn, onLost));
}

class SharedStore implements Deno.Kv {
  readonly #calls: StoreCalls;

  constructor(calls: StoreCalls) {
    this.#calls = calls;
  }

  async get<T = unknown>(key: Deno.KvKey, options?: ReadOptions): Promise<Deno.KvEntryMaybe<T>> {
    const [entry] = await this.#read([key], options);
    return decodeWireEntry<T>(key, entry!);
  }

  async getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: Deno.KvKey }],
    options?: ReadOptions,
  ): Promise<{ [K in keyof T]: Deno.KvEntryMaybe<T[K]> }> {
    const entries = await this.#read(keys, options);
    return entries.map((entry, n) => decodeWireEntry(keys[n]!, entry)) as {
      [K in keyof T]: Deno.KvEntryMaybe<T[K]>;
    };
  }

  async set(
    key: Deno.KvKey,
    value: unknown,
    options?: { expireIn?: number },
  ): Promise<Deno.KvCommitResult> {
    return await this.#commit(encodeSet(key, value, options?.expireIn));
  }

  async delete(key: Deno.KvKey): Promise<void> {
    await this.#commit({ type: "delete", key });
  }

  list<T = unknown>(
    selector: Deno.KvListSelector,
    options?: Deno.KvListOptions,
  ): Deno.KvListIterator<T> {
    return new SharedList<T>(this.#calls, { selector, options });
  }

  atomic(): Deno.AtomicOperation {
    return new SharedAtomic(this.#calls);
  }

  watch<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: Deno.KvKey }],
    { raw = false }: { raw?: boolean } = {},
  ): ReadableStream<{ [K in keyof T]: Deno.KvEntryMaybe<T[K]> }> {
    if (keys.length > MAX_WATCHED_KEYS) {
      throw new TypeError(`Too many keys (max ${MAX_WATCHED_KEYS})`);
    }
    return watchShared(this.#calls, { keys, raw }) as ReadableStream;
  }

  enqueue(): Promise<Deno.KvCommitResult> {
    return Promise.reject(new Deno.errors.NotSupported("a shared store has no queues"));
  }

  listenQueue(): Promise<void> {
    return Promise.reject(new Deno.errors.NotSupported("a shared store has no queues"));
  }

  commitVersionstamp(): symbol {
    throw new Deno.errors.NotSupported("a shared store has no keys with a versionstamp");
  }

  close(): void {
    this.#calls.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #read(keys: readonly Deno.KvKey[], { consistency }: ReadOptions = {}) {
    return this.#calls.send({ op: "read", keys, consistency });
  }

  async #commit(mutation: WireMutation): Promise<Deno.KvCommitResult> {
    const mutations = [mutation];
    const versionstamp = await this.#calls.send({ op: "commit", checks: [], mutations });
    return { ok: true, versionstamp: versionstamp! };
  }
}
