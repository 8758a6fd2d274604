import type { Chunk } from "../chunk.ts";
import { type LanguageShare, queryTerms, termsOf } from "./analyser.ts";
import { Bm25Index, type Hit } from "./bm25_index.ts";
import { Breather } from "./breather.ts";
import { DEFAULT_LANGUAGE, type Language } from "./languages.ts";
import { WordTable } from "./word_table.ts";
import { placedWords, wordsOf } from "./words.ts";

/** What an object and its fields take, beside the text. */
const CHUNK_BYTES = 200;
const BEYOND_LATIN1 = /[\u0100-\uffff]/;

/** The passages of one base, found by their words. */
export class PassageIndex {
  #bm25 = new Bm25Index();
  #passages: { chunk: Chunk; languages: readonly Language[]; bytes: number }[] = [];
  /** By the codes of the languages: what words of texts in them are indexed under. */
  #known = new Map<string, WordTable>();
  /** Languages that passages are stemmed by, and how many have each as the likeliest. */
  #languages = new Map<Language, number>();
  /** Of the passage that is being added. */
  readonly #terms: number[] = [];
  #textBytes = 0;

  get size(): number {
    return this.#passages.length;
  }

  /** Estimated memory, texts included. */
  get bytes(): number {
    return this.#bm25.bytes + this.#textBytes;
  }

  /** The languages of the passages. */
  get languages(): Language[] {
    return [...this.#languages.keys()];
  }

  chunk(slot: number): Chunk {
    return this.#passages[slot]!.chunk;
  }

  /**
   * Adds a passage, whose words are stemmed by the rules of each of `languages`: more than one where it
   * is not certain which it is in.
   */
  add(
    chunk: Chunk,
    { languages = [DEFAULT_LANGUAGE], words = wordsOfPassage(chunk) }: {
      languages?: readonly Language[];
      words?: readonly string[];
    } = {},
  ): void {
    this.#bm25.add(this.#lookUp(words, languages));
    const bytes = bytesOf(chunk);
    this.#passages.push({ chunk, languages, bytes });
    this.#countLanguages(languages);
    this.#textBytes += bytes;
  }

  /** Removes the passages of documents, turn by turn; until it is done nothing else may be asked. */
  async remove(documents: ReadonlySet<string>): Promise<void> {
    const breather = new Breather();
    const stays = (slot: number) => !documents.has(this.chunk(slot).documentId);
    for (const _step of this.#bm25.keep(stays)) if (breather.due) await breather.breathe();
    this.#passages = this.#passages.filter(({ chunk }) => !documents.has(chunk.documentId));
    this.#textBytes = this.#passages.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#languages.clear();
    for (const { languages } of this.#passages) this.#countLanguages(languages);
  }

  /** Forgets what only adding makes faster. */
  settle(): void {
    this.#known.clear();
  }

  /** The passages that fit a query by its words, best first. */
  search(query: string, { limit }: { limit: number }): Hit[] {
    const terms = [...queryTerms(wordsOf(query), this.#shares())].flatMap(([term, weight]) => {
      const id = this.#bm25.known(term);
      return id === undefined ? [] : [{ id, weight }];
    });
    return this.#bm25.search(terms, { limit });
  }

  /** Where in a passage's text words of the query stand: `[start, end]`, in UTF-16 units. */
  matches(slot: number, query: string): [number, number][] {
    const { chunk, languages } = this.#passages[slot]!;
    const asked = queryTerms(wordsOf(query), this.#shares());
    const places = placedWords(chunk.text).filter(({ word }) => {
      return termsOf(word, languages).terms.some((term) => asked.has(term));
    });
    return places.reduce<[number, number][]>((apart, { start, end }) => {
      const last = apart.at(-1);
      // Pairs of characters overlap with the words they are cut from.
      if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
      else apart.push([start, end]);
      return apart;
    }, []);
  }

  #countLanguages(languages: readonly Language[]): void {
    for (const [n, language] of languages.entries()) {
      this.#languages.set(language, (this.#languages.get(language) ?? 0) + (n === 0 ? 1 : 0));
    }
  }

  #shares(): LanguageShare[] {
    return Array.from(this.#languages, ([language, passages]) => {
      return { language, share: passages / this.size };
    });
  }

  /** Words as terms by number, and how many of them are no stop words. */
  #lookUp(words: readonly string[], languages: readonly Language[]) {
    const codes = languages.map(({ code }) => code).join();
    let table = this.#known.get(codes);
    if (table === undefined) this.#known.set(codes, table = new WordTable());
    let length = 0;
    this.#terms.length = 0;
    // A loop and not a chain of calls: an index of a base is millions of words.
    for (let n = 0; n < words.length; n++) {
      const word = words[n]!;
      const at = table.find(word) ?? table.add(word, this.#know(word, languages));
      length += table.copy(at, this.#terms);
    }
    return { terms: this.#terms, length };
  }

  #know(word: string, languages: readonly Language[]) {
    const { terms, stop } = termsOf(word, languages);
    return { terms: terms.map((term) => this.#bm25.termId(term)), length: stop ? 0 : 1 };
  }
}

/** A passage is about what its document and its headings are about. */
export function wordsOfPassage({ title, headingPath, text }: Chunk): string[] {
  return wordsOf(`${title} ${headingPath.join(" ")} ${text}`);
}

function bytesOf({ text, title, headingPath }: Chunk): number {
  const unit = BEYOND_LATIN1.test(text) ? 2 : 1;
  const headings = headingPath.reduce((sum, heading) => sum + heading.length, 0);
  return CHUNK_BYTES + unit * (text.length + title.length + headings);
}
