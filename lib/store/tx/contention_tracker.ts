import type { CachedEntry, KvCache } from "./kv_cache.ts";

/** Maximum number of suspects; more would only delay finding the contended key. */
const MAX_SUSPECTS = 1_000;
/** A family of keys is contended when other processes change more than this share of its values. */
const CONTENDED_SHARE = 0.02;
/** At this many observations the counts are halved, so that older ones fade. */
const MAX_COUNT = 1_000;
/** A value read within this time is used without another read; milliseconds. */
const TRUSTED_MS = 50;

interface ChangeCounts {
  all: number;
  /** How many observations found a change by another process. */
  changed: number;
}

/**
 * Tracks which keys other processes change. A failed commit does not say which check failed, so its keys
 * are compared once they have been read again. Keys are grouped in families by their first part. Cached
 * values of families that others change often (such as records of visitors whose messages alternate
 * between processes) are read again before use, because one stale value fails a whole batch.
 */
export class ContentionTracker {
  #suspects = new Map<string, CachedEntry>();
  #listeners: ((key: Deno.KvKey) => void)[] = [];
  #families = new Map<Deno.KvKeyPart, ChangeCounts>();

  /** Calls `listener` with each key that another process changed while a commit relied on it. */
  addListener(listener: (key: Deno.KvKey) => void): void {
    this.#listeners.push(listener);
  }

  /** Records what a failed commit checked. */
  addSuspects(checked: ReadonlyMap<string, CachedEntry>): void {
    for (const [text, entry] of checked) {
      if (this.#suspects.size >= MAX_SUSPECTS) return;
      this.#suspects.set(text, entry);
    }
  }

  /** Counts what a successful commit checked. */
  recordUnchanged(checked: ReadonlyMap<string, CachedEntry>): void {
    if (this.#families.size === 0) return;
    for (const { key } of checked.values()) {
      const counts = this.#families.get(key[0]!);
      if (counts !== undefined) addObservation(counts, false);
    }
  }

  /** Compares the suspects that have been read again. */
  resolveSuspects(cache: Pick<KvCache, "get">): void {
    for (const [text, before] of this.#suspects) {
      const current = cache.get(text);
      if (current === undefined) continue;
      this.#suspects.delete(text);
      if (!this.#observe(before, current)) continue;
      for (const listener of this.#listeners) listener(before.key);
    }
  }

  /** Those of `keys` in contended families that were last seen at or before tick `since`. */
  findContended(
    keys: ReadonlyMap<string, Deno.KvKey>,
    { cache, since }: { cache: KvCache; since: number },
  ): Map<string, CachedEntry> {
    const found = new Map<string, CachedEntry>();
    if (this.#families.size === 0) return found;
    for (const [text, key] of keys) {
      const entry = cache.get(text);
      if (entry === undefined || entry.seenAt > since) continue;
      if (cache.ageOf(text) >= TRUSTED_MS && this.#isContended(key)) found.set(text, entry);
    }
    return found;
  }

  /** Counts whether entries changed, comparing them with what was read since. */
  compare(entries: ReadonlyMap<string, CachedEntry>, cache: Pick<KvCache, "get">): void {
    for (const [text, before] of entries) {
      const current = cache.get(text);
      if (current !== undefined) this.#observe(before, current);
    }
  }

  /** Counts one observation; true if another process changed the value. */
  #observe(before: CachedEntry, current: CachedEntry): boolean {
    const changed = before.versionstamp !== current.versionstamp;
    const family = before.key[0]!;
    const counts = this.#families.get(family) ?? { all: 0, changed: 0 };
    if (changed) this.#families.set(family, counts);
    addObservation(counts, changed);
    return changed;
  }

  #isContended(key: Deno.KvKey): boolean {
    const counts = this.#families.get(key[0]!);
    return counts !== undefined && counts.changed > CONTENDED_SHARE * counts.all;
  }
}

function addObservation(counts: ChangeCounts, changed: boolean): void {
  counts.all++;
  if (changed) counts.changed++;
  if (counts.all < MAX_COUNT) return;
  counts.all /= 2;
  counts.changed /= 2;
}
