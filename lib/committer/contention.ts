import type { Document, Documents } from "./documents.ts";

/** Suspects that are examined at most; more only delay finding out which key is contended. */
const MAX_SUSPECTS = 1_000;

/**
 * Finds out which keys other processes change at the same time as this one. A commit that fails does not
 * say which of its checks failed, so the keys are compared once they have been read again.
 */
export class Contention {
  #suspects = new Map<string, Document>();
  #listeners: ((key: Deno.KvKey) => void)[] = [];

  listen(listener: (key: Deno.KvKey) => void): void {
    this.#listeners.push(listener);
  }

  /** Remembers what a failed commit relied on. */
  suspect(reliedOn: ReadonlyMap<string, Document>): void {
    if (this.#listeners.length === 0) return;
    for (const [text, document] of reliedOn) {
      if (this.#suspects.size >= MAX_SUSPECTS) return;
      this.#suspects.set(text, document);
    }
  }

  /** Reports the suspects that have changed, of those that have been read since. */
  examine(documents: Pick<Documents, "get">): void {
    for (const [text, { key, versionstamp }] of this.#suspects) {
      const current = documents.get(text);
      if (current === undefined) continue;
      this.#suspects.delete(text);
      if (current.versionstamp === versionstamp) continue;
      for (const listener of this.#listeners) listener(key);
    }
  }
}
