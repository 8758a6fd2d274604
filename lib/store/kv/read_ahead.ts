import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import { keys } from "../keys/keys.ts";
import { overrideKv } from "./override_kv.ts";

/** What one `getMany` takes. */
const MAX_KEYS_PER_READ = 10;

/** The keys that opening a service reads before its first response: at most `MAX_KEYS_PER_READ`. */
const START_KEYS: readonly Deno.KvKey[] = [
  keys.installation("default_tenant"),
  keys.installation("demo_agent"),
  keys.encryptionKeys(),
  keys.hmacSecrets(),
  keys.contentDigestKey(),
  keys.signingKeys(),
  keys.catalogueVersion(),
  ...PROVIDER_IDS.map((provider) => keys.providerConnection(provider)),
];
const START_PREFIXES: readonly Deno.KvKey[] = [
  keys.tenants(),
  keys.catalogueEntries(),
  keys.scriptReleases("widget"),
  keys.scriptReleases("widget-panel"),
  keys.scriptReleases("widget-extras"),
  keys.scriptReleases("widget-texts"),
  keys.scriptReleases("client"),
];

/** After this many reads the unused look-ups are dropped. */
const MAX_READS_WITH_LOOKUPS = 100;

type Entry = Deno.KvEntryMaybe<unknown>;

/** A store whose first reads are already in flight. */
export interface ReadAheadKv {
  kv: Deno.Kv;
  /** Stops reading ahead, once the service is open. */
  end(): void;
}

/**
 * Reads together what opening a service reads one by one: with a remote store each read is a round trip
 * that the first response waits for. A write makes the keys it touches be read again. `also` names
 * look-ups that never change once they exist; each is used once, also after `end`.
 */
export function readAhead(store: Deno.Kv, also: readonly Deno.KvKey[] = []): ReadAheadKv {
  const ahead = new ReadAhead(store, also);
  const kv = overrideKv(store, {
    get: async (key: Deno.KvKey, ...of: []) =>
      (await ahead.find([key]))?.[0] ?? await store.get(key, ...of),
    getMany: async (wanted: Deno.KvKey[], ...of: []) =>
      await ahead.find(wanted) ?? await store.getMany(wanted, ...of),
    list: (selector: Deno.KvListSelector, ...of: []) =>
      ahead.list(selector, () => store.list(selector, ...of)),
    set: (key: Deno.KvKey, ...of: [unknown]) =>
      store.set(key, ...of).finally(() => ahead.invalidate(key)),
    delete: (key: Deno.KvKey) => store.delete(key).finally(() => ahead.invalidate(key)),
    atomic: () => ahead.trackWrites(store.atomic()),
  }, () => !ahead.isOver);
  return { kv, end: () => ahead.end() };
}

class ReadAhead {
  readonly #entries = new Map<string, Promise<Entry | undefined>>();
  readonly #lists = new Map<string, Promise<Entry[] | undefined>>();
  readonly #lookups = new Map<string, Promise<Entry | undefined>>();
  #reads = 0;

  constructor(kv: Deno.Kv, also: readonly Deno.KvKey[]) {
    // A failed read is repeated when the value is needed, by code that can report the error.
    const read = (wanted: readonly Deno.KvKey[], into: Map<string, Promise<Entry | undefined>>) => {
      if (wanted.length === 0) return;
      const entries = kv.getMany(wanted).catch(() => undefined);
      wanted.forEach((key, n) => into.set(keyText(key), entries.then((read) => read?.[n])));
    };
    read(START_KEYS, this.#entries);
    read(also.slice(0, MAX_KEYS_PER_READ), this.#lookups);
    for (const prefix of START_PREFIXES) {
      const list = Array.fromAsync(kv.list({ prefix })).catch(() => undefined);
      this.#lists.set(keyText(prefix), list);
    }
    this.#requireCurrent(keys.catalogueEntries(), keys.catalogueVersion());
  }

  /**
   * Drops the list under `prefix` unless it is known to be as new as `version`, which changes with it.
   * Both are read at once, and an old list under a new version would pass for current.
   */
  #requireCurrent(prefix: Deno.KvKey, version: Deno.KvKey): void {
    const reads = [
      this.#lists.get(keyText(prefix))!,
      this.#entries.get(keyText(version))!,
    ] as const;
    const list = Promise.all(reads).then(([entries, versionEntry]) => {
      const stamp = versionEntry?.versionstamp;
      const isAsNew = stamp === null || entries?.some((entry) => entry.versionstamp! >= stamp!);
      return stamp !== undefined && isAsNew ? entries : undefined;
    });
    this.#lists.set(keyText(prefix), list);
  }

  /** True when everything read ahead has been used or dropped. */
  get isOver(): boolean {
    return this.#entries.size + this.#lists.size + this.#lookups.size === 0;
  }

  end(): void {
    this.#entries.clear();
    this.#lists.clear();
  }

  /** The entries of all these keys, or `undefined` if one of them was not read ahead. */
  find(wanted: readonly Deno.KvKey[]): Promise<Entry[] | undefined> | undefined {
    const found = wanted.map((key) => this.#entry(key));
    if (found.some((entry) => entry === undefined)) return undefined;
    return Promise.all(found).then((entries) => {
      return entries.every((entry) => entry !== undefined) ? entries : undefined;
    });
  }

  #entry(key: Deno.KvKey): Promise<Entry | undefined> | undefined {
    if (++this.#reads > MAX_READS_WITH_LOOKUPS) this.#lookups.clear();
    const text = keyText(key);
    const lookup = this.#lookups.get(text);
    // A key that was missing may exist by the next read.
    if (lookup !== undefined && this.#lookups.delete(text)) {
      return lookup.then((entry) => entry?.versionstamp == null ? undefined : entry);
    }
    const list = this.#lists.get(keyText(key.slice(0, -1)));
    return this.#entries.get(text) ??
      list?.then((entries) => entries?.find((entry) => keyText(entry.key) === text));
  }

  /** The entries of a prefix that was read ahead as a whole, otherwise what `read` finds. */
  list(
    selector: Deno.KvListSelector,
    read: () => Deno.KvListIterator<unknown>,
  ): Deno.KvListIterator<unknown> {
    const isWhole = "prefix" in selector && !("start" in selector) && !("end" in selector);
    const list = isWhole ? this.#lists.get(keyText(selector.prefix)) : undefined;
    if (list === undefined) return read();
    const rows = iterateRows(list, read);
    return Object.assign(rows, { cursor: "" }) as unknown as Deno.KvListIterator<unknown>;
  }

  invalidate(key: Deno.KvKey): void {
    this.#entries.delete(keyText(key));
    for (let n = 0; n < key.length; n++) this.#lists.delete(keyText(key.slice(0, n)));
  }

  /** The atomic operation, which invalidates the keys it writes when it is committed. */
  trackWrites(atomic: Deno.AtomicOperation): Deno.AtomicOperation {
    const { set, delete: remove, commit } = atomic;
    const written: Deno.KvKey[] = [];
    return Object.assign(atomic, {
      set(key: Deno.KvKey, ...of: [unknown]) {
        written.push(key);
        return set.call(atomic, key, ...of);
      },
      delete(key: Deno.KvKey) {
        written.push(key);
        return remove.call(atomic, key);
      },
      commit: () =>
        commit.call(atomic).finally(() => written.forEach((key) => this.invalidate(key))),
    });
  }
}

async function* iterateRows(
  list: Promise<Entry[] | undefined>,
  read: () => Deno.KvListIterator<unknown>,
): AsyncGenerator<unknown> {
  yield* await list ?? read();
}

function keyText(key: Deno.KvKey): string {
  return JSON.stringify(key);
}
