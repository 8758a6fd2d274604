import type { CachedEntry, KvCache } from "./kv_cache.ts";

/** Suspects that are examined at most; more only delay finding out which key is contended. */
const MAX_SUSPECTS = 1_000;
/** Of a family of keys: from this share of changes by others on, memory is not relied on. */
const CONTENDED_SHARE = 0.02;
/** After this many looks the counts are halved, so that older ones fade. */
const MAX_COUNT = 1_000;
/** A value that was read within this time is relied on without another read; milliseconds. */
const TRUSTED_MS = 50;

interface ChangeCounts {
  all: number;
  /** How many of them found a change by another process. */
  changed: number;
}

/**
 * Knows which keys other processes change. A commit that fails does not say which of its checks failed, so
 * the keys are compared once they have been read again. Of families of keys that others change often (the
 * records of visitors, whose messages reach one process after the other) what memory has is read again
 * before it is relied on, because one stale value fails the commit of a whole batch.
 */
export class ContentionTracker {
  #suspects = new Map<string, CachedEntry>();
  #listeners: ((key: Deno.KvKey) => void)[] = [];
  #families = new Map<Deno.KvKeyPart, ChangeCounts>();

  /** Calls `listener` with each key that another process has changed while a commit relied on it. */
  addListener(listener: (key: Deno.KvKey) => void): void {
    this.#listeners.push(listener);
  }

  /** Remembers what a failed commit relied on. */
  addSuspects(reliedOn: ReadonlyMap<string, CachedEntry>): void {
    for (const [text, document] of reliedOn) {
      if (this.#suspects.size >= MAX_SUSPECTS) return;
      this.#suspects.set(text, document);
    }
  }

  /** Counts what a commit rightly relied on. */
  recordUnchanged(reliedOn: ReadonlyMap<string, CachedEntry>): void {
    // No other process has changed anything yet: there is nothing to count.
    if (this.#families.size === 0) return;
    for (const { key } of reliedOn.values()) {
      const looks = this.#families.get(key[0]!);
      if (looks !== undefined) addObservation(looks, false);
    }
  }

  /** Compares the suspects that have been read since. */
  resolveSuspects(documents: Pick<KvCache, "get">): void {
    for (const [text, before] of this.#suspects) {
      const current = documents.get(text);
      if (current === undefined) continue;
      this.#suspects.delete(text);
      this.#compare(before, current);
    }
  }

  /** Those of `keys` whose families others change often, and that were last seen before `since`. */
  findContended(
    keys: ReadonlyMap<string, Deno.KvKey>,
    { documents, since }: { documents: KvCache; since: number },
  ): Map<string, CachedEntry> {
    const found = new Map<string, CachedEntry>();
    if (this.#families.size === 0) return found;
    for (const [text, key] of keys) {
      const document = documents.get(text);
      if (document === undefined || document.seenAt > since) continue;
      const isOld = documents.ageOf(text) >= TRUSTED_MS;
      if (isOld && this.#isContended(key)) found.set(text, document);
    }
    return found;
  }

  /** Compares what was doubtful with what it turned out to be. */
  compare(doubtful: ReadonlyMap<string, CachedEntry>, documents: Pick<KvCache, "get">): void {
    for (const [text, before] of doubtful) {
      const current = documents.get(text);
      if (current !== undefined) this.#compare(before, current, { report: false });
    }
  }

  #compare(before: CachedEntry, current: CachedEntry, { report = true } = {}): void {
    const changed = before.versionstamp !== current.versionstamp;
    const family = before.key[0]!;
    const looks = this.#families.get(family) ?? { all: 0, changed: 0 };
    if (changed) this.#families.set(family, looks);
    addObservation(looks, changed);
    if (!changed || !report) return;
    for (const listener of this.#listeners) listener(before.key);
  }

  #isContended(key: Deno.KvKey): boolean {
    const looks = this.#families.get(key[0]!);
    return looks !== undefined && looks.changed > CONTENDED_SHARE * looks.all;
  }
}

function addObservation(looks: ChangeCounts, changed: boolean): void {
  looks.all++;
  if (changed) looks.changed++;
  if (looks.all < MAX_COUNT) return;
  looks.all /= 2;
  looks.changed /= 2;
}
