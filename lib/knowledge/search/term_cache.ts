/**
 * The index terms of words, so that each word is stemmed once. A flat array, because indexing looks up
 * millions of words.
 */
export class TermCache {
  readonly #starts = new Map<string, number>();
  /** Each entry is twice its number of terms plus its length of 0 or 1, and then the terms. */
  #entries = new Int32Array(4096);
  #used = 0;

  find(word: string): number | undefined {
    return this.#starts.get(word);
  }

  /** `length` is what the word adds to the length of a text. Returns the start of the entry. */
  add(word: string, { terms, length }: { terms: readonly number[]; length: number }): number {
    const start = this.#used;
    if (start + terms.length + 1 > this.#entries.length) {
      const larger = new Int32Array(this.#entries.length * 2 + terms.length);
      larger.set(this.#entries);
      this.#entries = larger;
    }
    this.#entries[start] = terms.length << 1 | length;
    this.#entries.set(terms, start + 1);
    this.#used = start + terms.length + 1;
    this.#starts.set(word, start);
    return start;
  }

  /** Appends the terms of an entry to `terms`, and returns its length. */
  appendTerms(start: number, terms: number[]): number {
    const head = this.#entries[start]!;
    const end = start + 1 + (head >> 1);
    for (let at = start + 1; at < end; at++) terms.push(this.#entries[at]!);
    return head & 1;
  }
}
