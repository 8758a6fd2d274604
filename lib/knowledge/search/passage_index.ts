import type { DocumentPassage } from "../passage.ts";
import { indexTerms, type LanguageShare, queryTerms } from "./analyzer.ts";
import { Bm25Index, type Hit } from "./bm25_index.ts";
import { EventLoopYielder } from "../../platform/event_loop_yielder.ts";
import { DEFAULT_LANGUAGE, type Language } from "./languages.ts";
import { TermCache } from "./term_cache.ts";
import { splitWords, splitWordSpans } from "./split_words.ts";

/** What an object and its fields take, beside the text. */
const PASSAGE_OVERHEAD_BYTES = 200;
const BEYOND_LATIN1 = /[\u0100-\uffff]/;

/** The passages of one base, found by their words. */
export class PassageIndex {
  #bm25 = new Bm25Index();
  #passages: { passage: DocumentPassage; languages: readonly Language[]; bytes: number }[] = [];
  /** By the codes of the languages: what words of texts in them are indexed under. */
  #termCaches = new Map<string, TermCache>();
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

  chunk(slot: number): DocumentPassage {
    return this.#passages[slot]!.passage;
  }

  /**
   * Adds a passage, whose words are stemmed by the rules of each of `languages`: more than one where it
   * is not certain which it is in.
   */
  add(
    chunk: DocumentPassage,
    { languages = [DEFAULT_LANGUAGE], words = passageWords(chunk) }: {
      languages?: readonly Language[];
      words?: readonly string[];
    } = {},
  ): void {
    this.#bm25.add(this.#termsOf(words, languages));
    const bytes = estimateBytes(chunk);
    this.#passages.push({ passage: chunk, languages, bytes });
    this.#countLanguages(languages);
    this.#textBytes += bytes;
  }

  /** Removes the passages of documents, turn by turn; until it is done nothing else may be asked. */
  async remove(documents: ReadonlySet<string>): Promise<void> {
    const breather = new EventLoopYielder();
    const stays = (slot: number) => !documents.has(this.chunk(slot).documentId);
    for (const _step of this.#bm25.retain(stays)) if (breather.isDue) await breather.yield();
    this.#passages = this.#passages.filter(({ passage }) => !documents.has(passage.documentId));
    this.#textBytes = this.#passages.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#languages.clear();
    for (const { languages } of this.#passages) this.#countLanguages(languages);
  }

  /** Forgets what only adding makes faster. */
  clearTermCaches(): void {
    this.#termCaches.clear();
  }

  /** The passages that fit a query by its words, best first. */
  search(query: string, { limit }: { limit: number }): Hit[] {
    const terms = [...queryTerms(splitWords(query), this.#languageShares())].flatMap(
      ([term, weight]) => {
        const id = this.#bm25.findTermId(term);
        return id === undefined ? [] : [{ id, weight }];
      },
    );
    return this.#bm25.search(terms, { limit });
  }

  /** Where in a passage's text words of the query stand: `[start, end]`, in UTF-16 units. */
  findMatches(slot: number, query: string): [number, number][] {
    const { passage, languages } = this.#passages[slot]!;
    const asked = queryTerms(splitWords(query), this.#languageShares());
    const places = splitWordSpans(passage.text).filter(({ word }) => {
      return indexTerms(word, languages).terms.some((term) => asked.has(term));
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

  #languageShares(): LanguageShare[] {
    return Array.from(this.#languages, ([language, passages]) => {
      return { language, share: passages / this.size };
    });
  }

  /** Words as terms by number, and how many of them are no stop words. */
  #termsOf(words: readonly string[], languages: readonly Language[]) {
    const codes = languages.map(({ code }) => code).join();
    let table = this.#termCaches.get(codes);
    if (table === undefined) this.#termCaches.set(codes, table = new TermCache());
    let length = 0;
    this.#terms.length = 0;
    // A loop and not a chain of calls: an index of a base is millions of words.
    for (let n = 0; n < words.length; n++) {
      const word = words[n]!;
      const at = table.find(word) ?? table.add(word, this.#resolveTerms(word, languages));
      length += table.appendTerms(at, this.#terms);
    }
    return { terms: this.#terms, length };
  }

  #resolveTerms(word: string, languages: readonly Language[]) {
    const { terms, isStopWord } = indexTerms(word, languages);
    return { terms: terms.map((term) => this.#bm25.termId(term)), length: isStopWord ? 0 : 1 };
  }
}

/** A passage is about what its document and its headings are about. */
export function passageWords({ title, headingPath, text }: DocumentPassage): string[] {
  return splitWords(`${title} ${headingPath.join(" ")} ${text}`);
}

function estimateBytes({ text, title, headingPath }: DocumentPassage): number {
  const unit = BEYOND_LATIN1.test(text) ? 2 : 1;
  const headings = headingPath.reduce((sum, heading) => sum + heading.length, 0);
  return PASSAGE_OVERHEAD_BYTES + unit * (text.length + title.length + headings);
}
