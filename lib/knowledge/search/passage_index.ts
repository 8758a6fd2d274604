import type { Chunk } from "../chunk.ts";
import { queryTerms, termOf } from "./analyser.ts";
import { Bm25Index, type Hit } from "./bm25_index.ts";
import { Breather } from "./breather.ts";
import { detectLanguage } from "./detect_language.ts";
import type { Language } from "./languages.ts";
import { placedWords, wordsOf } from "./words.ts";

/** What an object and its fields take, beside the text. */
const CHUNK_BYTES = 200;
const BEYOND_LATIN1 = /[\u0100-\uffff]/;

/** The words of one language that have been looked up: twice the term's number, and 1 for a stop word. */
type KnownWords = Map<string, number>;

/** The passages of one base, found by their words. */
export class PassageIndex {
  #bm25 = new Bm25Index();
  #passages: { chunk: Chunk; language: Language | undefined; bytes: number }[] = [];
  #known = new Map<Language | undefined, KnownWords>();
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
    const all = new Set(this.#passages.map(({ language }) => language));
    return [...all].filter((language) => language !== undefined);
  }

  chunk(slot: number): Chunk {
    return this.#passages[slot]!.chunk;
  }

  /** Adds a passage; `fallback` is the language of one that is too short to tell its own. */
  add(chunk: Chunk, { fallback }: { fallback?: Language | undefined } = {}): void {
    // A passage is about what its document and its headings are about.
    const words = wordsOf(`${chunk.title} ${chunk.headingPath.join(" ")} ${chunk.text}`);
    const language = detectLanguage(words) ?? fallback;
    this.#bm25.add(this.#lookUp(words, language));
    const bytes = bytesOf(chunk);
    this.#passages.push({ chunk, language, bytes });
    this.#textBytes += bytes;
  }

  /** Removes the passages of documents, turn by turn; until it is done nothing else may be asked. */
  async remove(documents: ReadonlySet<string>): Promise<void> {
    const breather = new Breather();
    const stays = (slot: number) => !documents.has(this.chunk(slot).documentId);
    for (const _step of this.#bm25.keep(stays)) if (breather.due) await breather.breathe();
    this.#passages = this.#passages.filter(({ chunk }) => !documents.has(chunk.documentId));
    this.#textBytes = this.#passages.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Forgets what only adding makes faster. */
  settle(): void {
    this.#known.clear();
  }

  /** The passages that fit a query by its words, best first. */
  search(query: string, { limit }: { limit: number }): Hit[] {
    const terms = queryTerms(wordsOf(query), this.languages);
    const known = terms.map((term) => this.#bm25.known(term)).filter((id) => id !== undefined);
    return this.#bm25.search(known, { limit });
  }

  /** Where in a passage's text words of the query stand: `[start, end]`, in UTF-16 units. */
  matches(slot: number, query: string): [number, number][] {
    const { chunk, language } = this.#passages[slot]!;
    const asked = new Set(queryTerms(wordsOf(query), this.languages));
    const places = placedWords(chunk.text)
      .filter(({ word }) => asked.has(termOf(word, language).term));
    return places.reduce<[number, number][]>((apart, { start, end }) => {
      const last = apart.at(-1);
      // Pairs of characters overlap with the words they are cut from.
      if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
      else apart.push([start, end]);
      return apart;
    }, []);
  }

  /** Words as terms by number, and how many of them are no stop words. */
  #lookUp(words: readonly string[], language: Language | undefined) {
    let known = this.#known.get(language);
    if (known === undefined) this.#known.set(language, known = new Map());
    const terms = new Array<number>(words.length);
    let length = 0;
    // A loop and not a chain of calls: an index of a base is millions of words.
    for (let n = 0; n < words.length; n++) {
      const word = words[n]!;
      let id = known.get(word);
      if (id === undefined) known.set(word, id = this.#idOf(word, language));
      terms[n] = id >> 1;
      length += id & 1 ^ 1;
    }
    return { terms, length };
  }

  #idOf(word: string, language: Language | undefined): number {
    const { term, stop } = termOf(word, language);
    return this.#bm25.termId(term) << 1 | (stop ? 1 : 0);
  }
}

function bytesOf({ text, title, headingPath }: Chunk): number {
  const unit = BEYOND_LATIN1.test(text) ? 2 : 1;
  const headings = headingPath.reduce((sum, heading) => sum + heading.length, 0);
  return CHUNK_BYTES + unit * (text.length + title.length + headings);
}
