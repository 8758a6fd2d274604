import { hasCompounds } from "./compound_index.ts";
import { correctWord } from "./correct_word.ts";
import { divideWord } from "./divide_word.ts";
import { addTo, countQueryWords, type LanguageShare, stemsOf, wordTerms } from "./index_terms.ts";
import { exactTerm } from "./index_terms.ts";
import type { Language } from "./languages.ts";
import { splitCompound } from "./split_compound.ts";

/** Weights relative to a word as it was typed, measured on 17 collections: see docs/decisions. */
const CORRECTED_WEIGHT = 0.85;
const DIVIDED_WEIGHT = 0.3;
const JOINED_WEIGHT = 0.2;
/** Of the parts of a compound that some text contains, and of one that none contains. */
const PART_WEIGHT = { known: 0.3, unknown: 0.6 };
/** Of compounds that a word is a part of. */
const COMPOUND_WEIGHT = 0.3;

/** The most words of one query that are corrected or divided, so that no query takes long. */
const MAX_CORRECTED_WORDS = 12;
/** The most words of one query whose parts and compounds are looked up. */
const MAX_COMPOUND_WORDS = 16;

/** The terms of an index. */
export interface Vocabulary {
  has(term: string): boolean;
  /** The terms of compounds that begin or end with `part`. */
  compoundsOf(part: string): readonly string[];
}

/** Terms that count as one: a text with several of them scores as if it repeated one. */
export interface TermGroup {
  terms: readonly string[];
  weight: number;
  /** A term that the group must not count as rarer than. */
  notRarerThan: string;
}

export interface ExpandedQuery {
  weights: ReadonlyMap<string, number>;
  groups: readonly TermGroup[];
}

/**
 * The terms of a query with their weights. Beside its own words, with less weight:
 * - for a word that is in no text: words with one typing error less, or two words that it consists of;
 * - two neighbouring words joined;
 * - in languages with compounds, the parts of a word, and compounds that it is a part of.
 */
export function expandQuery(
  words: readonly string[],
  { languages, vocabulary }: { languages: readonly LanguageShare[]; vocabulary: Vocabulary },
): ExpandedQuery {
  const expansion = new QueryExpansion(languages.map(({ language }) => language), vocabulary);
  for (const [word, count] of countQueryWords(words, languages)) expansion.addWord(word, count);
  expansion.addJoined(words);
  return expansion;
}

class QueryExpansion implements ExpandedQuery {
  readonly weights = new Map<string, number>();
  readonly groups: TermGroup[] = [];
  readonly #languages: readonly Language[];
  readonly #compounding: readonly Language[];
  readonly #vocabulary: Vocabulary;
  #corrected = 0;
  #compounds = 0;

  constructor(languages: readonly Language[], vocabulary: Vocabulary) {
    this.#languages = languages;
    this.#compounding = languages.filter(hasCompounds);
    this.#vocabulary = vocabulary;
  }

  addWord(word: string, count: number): void {
    const terms = wordTerms(word, this.#languages);
    this.#add(terms, count);
    const isKnown = [...terms.keys()].some((term) => this.#vocabulary.has(term));
    if (!isKnown && this.#corrected++ < MAX_CORRECTED_WORDS) this.#addCorrected(word, count);
    if (this.#compounding.length > 0 && this.#compounds++ < MAX_COMPOUND_WORDS) {
      this.#addParts(word, count * (isKnown ? PART_WEIGHT.known : PART_WEIGHT.unknown));
      this.#addCompounds(word, count * COMPOUND_WEIGHT);
    }
  }

  /** Each two neighbours, if a text has them as one word: "Wi Fi" finds "WiFi". */
  addJoined(words: readonly string[]): void {
    for (const [n, word] of words.entries()) {
      const joined = (words[n - 1] ?? "") + word;
      const exact = exactTerm(joined);
      if (n === 0 || this.weights.has(exact) || !this.#vocabulary.has(exact)) continue;
      this.#add(wordTerms(joined, this.#languages), JOINED_WEIGHT);
    }
  }

  #add(terms: ReadonlyMap<string, number>, factor: number): void {
    for (const [term, weight] of terms) addTo(this.weights, term, weight * factor);
  }

  #addCorrected(word: string, count: number): void {
    const options = { languages: this.#languages, vocabulary: this.#vocabulary };
    const corrections = correctWord(word, options);
    for (const terms of corrections) this.#add(terms, count * CORRECTED_WEIGHT);
    if (corrections.length > 0) return;
    for (const part of divideWord(word, this.#vocabulary)) {
      this.#add(wordTerms(part, this.#languages), count * DIVIDED_WEIGHT);
    }
  }

  #addParts(word: string, weight: number): void {
    const options = { languages: this.#compounding, vocabulary: this.#vocabulary };
    for (const { term, share } of splitCompound(word, options)) {
      addTo(this.weights, term, weight * share);
    }
  }

  #addCompounds(word: string, weight: number): void {
    for (const stem of stemsOf(word, this.#compounding)) {
      const terms = this.#vocabulary.compoundsOf(stem).filter((term) => !this.weights.has(term));
      if (terms.length > 0) this.groups.push({ terms, weight, notRarerThan: stem });
    }
  }
}
