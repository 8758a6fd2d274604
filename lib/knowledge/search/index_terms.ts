import { foldDiacritics } from "./fold_diacritics.ts";
import type { Language } from "./languages.ts";

/** Of the exact form, in addition to the weight of the stem. */
const EXACT_WEIGHT = 0.1;
/** Of terms that find texts whose language was guessed wrong: too low to change the order of others. */
const FALLBACK_WEIGHT = 0.01;
/** Separates exact forms from stems; no word starts with it. */
const EXACT_PREFIX = "=";

interface WordTerms {
  /** Stems and the exact form, without diacritics; a stop word has no exact form. */
  terms: string[];
  /** Stop words do not count towards the length of a text. */
  isStopWord: boolean;
}

/** The terms of a word in a text in one of these languages, the likeliest first. */
export function indexTerms(word: string, languages: readonly Language[]): WordTerms {
  const stems = stemsOf(word, languages);
  const stop = languages[0]?.stopWords.has(word) ?? false;
  return { terms: stop ? stems : [...stems, exactTerm(word)], isStopWord: stop };
}

export function exactTerm(word: string): string {
  return EXACT_PREFIX + foldDiacritics(word);
}

export function isExact(term: string): boolean {
  return term.startsWith(EXACT_PREFIX);
}

export function stemsOf(word: string, languages: readonly Language[]): string[] {
  return [...new Set(languages.map(({ stem }) => foldDiacritics(stem(word))))];
}

/** A language of a base, and the share of its passages that are most likely in it. */
export type LanguageShare = { language: Language; share: number };

/** Below this share, the stop words of a language count as ordinary words of most queries. */
const MIN_STOP_SHARE = 0.25;
/** With so many stop words of a language, a query is a sentence in it: "Can I get a refund?" */
const SENTENCE = { words: 4, stopShare: 0.5 };

/** The terms of a word of a query with their weights: its stems, its exact form, and `fallbackTerms`. */
export function wordTerms(word: string, languages: readonly Language[]): Map<string, number> {
  const weights = new Map<string, number>();
  const stems = stemsOf(word, languages);
  for (const stem of stems) addTo(weights, stem, 1);
  addTo(weights, exactTerm(word), EXACT_WEIGHT);
  for (const term of fallbackTerms(word, stems)) addTo(weights, term, FALLBACK_WEIGHT);
  return weights;
}

/** Stemmed by another language, a text may have the word as a stem, or the stem as a word. */
function fallbackTerms(word: string, stems: readonly string[]): string[] {
  const exact = foldDiacritics(word);
  const asWords = stems.filter((stem) => stem !== exact).map((stem) => EXACT_PREFIX + stem);
  return stems.includes(exact) ? asWords : [exact, ...asWords];
}

function isWrittenIn(words: readonly string[], { stopWords }: Language): boolean {
  const stops = words.filter((word) => stopWords.has(word)).length;
  return words.length >= SENTENCE.words && stops >= SENTENCE.stopShare * words.length;
}

/** Counts the words of a query, without stop words. A repeated word counts repeatedly. */
export function countQueryWords(
  words: readonly string[],
  languages: readonly LanguageShare[],
): Map<string, number> {
  const stopping = languages.filter(({ language, share }) =>
    share >= MIN_STOP_SHARE || isWrittenIn(words, language)
  );
  const isStop = (word: string) => stopping.some(({ language }) => language.stopWords.has(word));
  const content = words.filter((word) => !isStop(word));
  const counts = new Map<string, number>();
  // "The Who" has only stop words: use them.
  for (const word of content.length > 0 ? content : words) addTo(counts, word, 1);
  return counts;
}

export function addTo(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}
