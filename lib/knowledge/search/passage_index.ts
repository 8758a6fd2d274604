import { EventLoopYielder } from "../../platform/event_loop_yielder.ts";
import type { DocumentPassage } from "../passage.ts";
import { CompoundIndex, hasCompounds } from "./compound_index.ts";
import { type ExpandedQuery, expandQuery, type Vocabulary } from "./expand_query.ts";
import { indexTerms, isExact, type LanguageShare } from "./index_terms.ts";
import { Bm25Index, type Hit } from "./bm25_index.ts";
import { DEFAULT_LANGUAGE, type Language } from "./languages.ts";
import { splitWords, splitWordSpans } from "./split_words.ts";
import { coveredShare } from "./covered_share.ts";
import { TermCache } from "./term_cache.ts";

/** Memory of an object and its fields besides the text. */
const PASSAGE_OVERHEAD_BYTES = 200;
const BEYOND_LATIN1 = /[\u0100-\uffff]/;

/** A full-text index of passages, which it numbers by ordinals. */
export class PassageIndex {
  #bm25 = new Bm25Index();
  #compounds = new CompoundIndex();
  readonly #vocabulary: Vocabulary = {
    has: (term) => this.#bm25.findTermId(term) !== undefined,
    compoundsOf: (part) => this.#compounds.find(part).filter((term) => this.#vocabulary.has(term)),
  };
  #passages: { passage: DocumentPassage; languages: readonly Language[]; bytes: number }[] = [];
  #termCaches = new Map<string, TermCache>();
  /** Languages that passages are stemmed by, with the number of passages most likely in each. */
  #languages = new Map<Language, number>();
  /** A buffer for the terms of the passage that is being added. */
  readonly #terms: number[] = [];
  #textBytes = 0;

  get size(): number {
    return this.#passages.length;
  }

  /** Estimated memory, texts included. */
  get bytes(): number {
    return this.#bm25.bytes + this.#compounds.bytes + this.#textBytes;
  }

  get languages(): Language[] {
    return [...this.#languages.keys()];
  }

  get entries(): readonly { passage: DocumentPassage }[] {
    return this.#passages;
  }

  passage(ordinal: number): DocumentPassage {
    return this.#passages[ordinal]!.passage;
  }

  /** Adds a passage, stemmed by the rules of each of `languages`: several if its language is uncertain. */
  add(passage: DocumentPassage, { languages = [DEFAULT_LANGUAGE], words = passageWords(passage) }: {
    languages?: readonly Language[];
    words?: readonly string[] | undefined;
  } = {}): void {
    this.#bm25.add(this.#termsOf(words, languages));
    const bytes = estimateBytes(passage);
    this.#passages.push({ passage, languages, bytes });
    this.#countLanguages(languages);
    this.#textBytes += bytes;
  }

  /** Removes the passages of documents. Yields to the event loop; do not use the index meanwhile. */
  async remove(documents: ReadonlySet<string>): Promise<void> {
    const yielder = new EventLoopYielder();
    const stays = (ordinal: number) => !documents.has(this.passage(ordinal).documentId);
    for (const _step of this.#bm25.retain(stays)) if (yielder.isDue) await yielder.yield();
    this.#passages = this.#passages.filter(({ passage }) => !documents.has(passage.documentId));
    this.#textBytes = this.#passages.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#languages.clear();
    for (const { languages } of this.#passages) this.#countLanguages(languages);
  }

  /** Frees what only speeds up `add`. */
  clearTermCaches(): void {
    this.#termCaches.clear();
  }

  search(query: string, { limit }: { limit: number }): Hit[] {
    const { weights, groups } = this.#expand(query);
    const terms = [...weights].flatMap(([term, weight]) => {
      const id = this.#bm25.findTermId(term);
      return id === undefined ? [] : [{ id, weight }];
    });
    return this.#bm25.search(terms, {
      limit,
      groups: groups.map(({ terms, weight, notRarerThan }) => ({
        ids: terms.flatMap((term) => this.#bm25.findTermId(term) ?? []),
        weight,
        notRarerThan: this.#bm25.findTermId(notRarerThan),
      })),
    });
  }

  /** Positions of the query's words in a passage's text: `[start, end]` in UTF-16 units. */
  findMatches(ordinal: number, query: string): [number, number][] {
    const { passage, languages } = this.#passages[ordinal]!;
    const { weights, groups } = this.#expand(query);
    const wanted = new Set([...weights.keys(), ...groups.flatMap(({ terms }) => terms)]);
    const matches: [number, number][] = [];
    for (const { word, start, end } of splitWordSpans(passage.text)) {
      if (!indexTerms(word, languages).terms.some((term) => wanted.has(term))) continue;
      const last = matches.at(-1);
      // Bigrams overlap with the words that they are part of.
      if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
      else matches.push([start, end]);
    }
    return matches;
  }

  /** The share of what a query asks for that one of these passages says. */
  coveredShare(query: string, ordinals: readonly number[]): number {
    return coveredShare(splitWords(query), {
      passages: ordinals.map((ordinal) => {
        const { passage, languages } = this.#passages[ordinal]!;
        return { words: passageWords(passage), languages };
      }),
      languages: this.#shares,
      vocabulary: this.#vocabulary,
      rarityOf: (terms) =>
        Math.min(
          this.#bm25.rarity(undefined),
          ...terms.map((term) => this.#bm25.rarity(this.#bm25.findTermId(term))),
        ),
    });
  }

  get #shares(): LanguageShare[] {
    return Array.from(
      this.#languages,
      ([language, count]): LanguageShare => ({ language, share: count / this.size }),
    );
  }

  #expand(query: string): ExpandedQuery {
    const languages = this.#shares;
    return expandQuery(splitWords(query), { languages, vocabulary: this.#vocabulary });
  }

  #countLanguages(languages: readonly Language[]): void {
    for (const [n, language] of languages.entries()) {
      this.#languages.set(language, (this.#languages.get(language) ?? 0) + (n === 0 ? 1 : 0));
    }
  }

  /** The ids of terms, and the number of words that are not stop words. */
  #termsOf(words: readonly string[], languages: readonly Language[]) {
    const codes = languages.map(({ code }) => code).join();
    let cache = this.#termCaches.get(codes);
    if (cache === undefined) this.#termCaches.set(codes, cache = new TermCache());
    let length = 0;
    this.#terms.length = 0;
    // A plain loop, because a base has millions of words.
    for (let n = 0; n < words.length; n++) {
      const word = words[n]!;
      const at = cache.find(word) ?? cache.add(word, this.#resolveTerms(word, languages));
      length += cache.appendTerms(at, this.#terms);
    }
    return { terms: this.#terms, length };
  }

  #resolveTerms(word: string, languages: readonly Language[]) {
    const { terms, isStopWord } = indexTerms(word, languages);
    if (!isStopWord && languages.some(hasCompounds)) {
      for (const term of terms) if (!isExact(term)) this.#compounds.add(term);
    }
    return { terms: terms.map((term) => this.#bm25.termId(term)), length: isStopWord ? 0 : 1 };
  }
}

/** Includes the title and the headings, because they say what a passage is about. */
export function passageWords({ title, headingPath, text }: DocumentPassage): string[] {
  return splitWords(`${title} ${headingPath.join(" ")} ${text}`);
}

function estimateBytes({ text, title, headingPath }: DocumentPassage): number {
  const unit = BEYOND_LATIN1.test(text) ? 2 : 1;
  const headings = headingPath.reduce((sum, heading) => sum + heading.length, 0);
  return PASSAGE_OVERHEAD_BYTES + unit * (text.length + title.length + headings);
}
