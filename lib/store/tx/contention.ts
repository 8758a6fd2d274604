import type { Document, Documents } from "./documents.ts";

/** Suspects that are examined at most; more only delay finding out which key is contended. */
const MAX_SUSPECTS = 1_000;
/** Of a family of keys: from this share of changes by others on, memory is not relied on. */
const DOUBTFUL_SHARE = 0.02;
/** After this many looks the counts are halved, so that older ones fade. */
const COUNTED_LOOKS = 1_000;
/** A value that was read within this time is relied on without another read; milliseconds. */
const FRESH_MS = 50;

interface Looks {
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
export class Contention {
  #suspects = new Map<string, Document>();
  #listeners: ((key: Deno.KvKey) => void)[] = [];
  #families = new Map<Deno.KvKeyPart, Looks>();

  /** Calls `listener` with each key that another process has changed while a commit relied on it. */
  listen(listener: (key: Deno.KvKey) => void): void {
    this.#listeners.push(listener);
  }

  /** Remembers what a failed commit relied on. */
  suspect(reliedOn: ReadonlyMap<string, Document>): void {
    for (const [text, document] of reliedOn) {
      if (this.#suspects.size >= MAX_SUSPECTS) return;
      this.#suspects.set(text, document);
    }
  }

  /** Counts what a commit rightly relied on. */
  held(reliedOn: ReadonlyMap<string, Document>): void {
    // No other process has changed anything yet: there is nothing to count.
    if (this.#families.size === 0) return;
    for (const { key } of reliedOn.values()) {
      const looks = this.#families.get(key[0]!);
      if (looks !== undefined) count(looks, false);
    }
  }

  /** Compares the suspects that have been read since. */
  examine(documents: Pick<Documents, "get">): void {
    for (const [text, before] of this.#suspects) {
      const current = documents.get(text);
      if (current === undefined) continue;
      this.#suspects.delete(text);
      this.#compare(before, current);
    }
  }

  /** Those of `keys` whose families others change often, and that were last seen before `since`. */
  doubtful(
    keys: ReadonlyMap<string, Deno.KvKey>,
    { documents, since }: { documents: Documents; since: number },
  ): Map<string, Document> {
    const found = new Map<string, Document>();
    if (this.#families.size === 0) return found;
    for (const [text, key] of keys) {
      const document = documents.get(text);
      if (document === undefined || document.seen > since) continue;
      const isOld = documents.ageOf(text) >= FRESH_MS;
      if (isOld && this.#isDoubtful(key)) found.set(text, document);
    }
    return found;
  }

  /** Compares what was doubtful with what it turned out to be. */
  compare(doubtful: ReadonlyMap<string, Document>, documents: Pick<Documents, "get">): void {
    for (const [text, before] of doubtful) {
      const current = documents.get(text);
      if (current !== undefined) this.#compare(before, current, { report: false });
    }
  }

  #compare(before: Document, current: Document, { report = true } = {}): void {
    const changed = before.versionstamp !== current.versionstamp;
    const family = before.key[0]!;
    const looks = this.#families.get(family) ?? { all: 0, changed: 0 };
    if (changed) this.#families.set(family, looks);
    count(looks, changed);
    if (!changed || !report) return;
    for (const listener of this.#listeners) listener(before.key);
  }

  #isDoubtful(key: Deno.KvKey): boolean {
    const looks = this.#families.get(key[0]!);
    return looks !== undefined && looks.changed > DOUBTFUL_SHARE * looks.all;
  }
}

function count(looks: Looks, changed: boolean): void {
  looks.all++;
  if (changed) looks.changed++;
  if (looks.all < COUNTED_LOOKS) return;
  looks.all /= 2;
  looks.changed /= 2;
}
