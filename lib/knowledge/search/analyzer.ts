import type { Language } from "./languages.ts";

const BEYOND_ASCII = /[^\p{ASCII}]/u;
/** Accents of Latin, Greek and Cyrillic; vowel signs of Arabic and Hebrew, which few write. */
const DIACRITICS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0652]/g;

/** Letters that are no letter with a mark, and are typed as others all the same. */
const LETTER_REPLACEMENTS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
  ς: "σ",
};
const SPECIAL = new RegExp(`[${Object.keys(LETTER_REPLACEMENTS).join("")}]`, "g");

/** A lower-case word as somebody types it who leaves out the marks. */
export function foldDiacritics(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word;
  const bare = word.normalize("NFD").replace(DIACRITICS, "").normalize("NFC");
  return bare.replace(SPECIAL, (letter) => LETTER_REPLACEMENTS[letter]!);
}

/** Weight of a match of the exact form, which comes on top of that of the stem. */
const EXACT_WEIGHT = 0.1;
/**
 * Weight of what only finds a text whose language was guessed wrongly: enough to find it, too little to
 * change the order of others.
 */
const FALLBACK_WEIGHT = 0.01;
/** No word starts with it, so exact forms and stems never meet. */
const EXACT_PREFIX = "=";

/** What a word is indexed under. */
export interface WordTerms {
  /** Its stems and its exact form, without diacritics; a stop word has no exact form. */
  terms: string[];
  /** Whether it is a stop word, which tells nothing and does not count as length. */
  isStopWord: boolean;
}

/** What a word of a text in one of these languages is indexed under; the first is the likeliest. */
export function indexTerms(word: string, languages: readonly Language[]): WordTerms {
  const stems = stemsOf(word, languages);
  const stop = languages[0]?.stopWords.has(word) ?? false;
  return { terms: stop ? stems : [...stems, exactTerm(word)], isStopWord: stop };
}

function exactTerm(word: string): string {
  return EXACT_PREFIX + foldDiacritics(word);
}

function stemsOf(word: string, languages: readonly Language[]): string[] {
  return [...new Set(languages.map(({ stem }) => foldDiacritics(stem(word))))];
}

/** A language that passages of a base are stemmed by, and how many of them are most likely in it. */
export interface LanguageShare {
  language: Language;
  /** Between 0 and 1. */
  share: number;
}

/** Below this share of the passages, the stop words of a language are ordinary words of a query. */
const MIN_STOP_SHARE = 0.25;

/**
 * What the words of a query are looked up as in texts of these languages, with their weights: the stem
 * by each language, the exact form, and what rescues a wrong guess. A word that occurs twice counts
 * twice.
 */
export function queryTerms(
  words: readonly string[],
  languages: readonly LanguageShare[],
): Map<string, number> {
  const weights = new Map<string, number>();
  const stemmed = languages.map(({ language }) => language);
  for (const [word, count] of countQueryWords(words, languages)) {
    const stems = stemsOf(word, stemmed);
    for (const stem of stems) addTo(weights, stem, count);
    addTo(weights, exactTerm(word), count * EXACT_WEIGHT);
    for (const term of fallbackTerms(word, stems)) addTo(weights, term, count * FALLBACK_WEIGHT);
  }
  return weights;
}

/** Stemmed by another language, a text may have our word as a stem, or our stem as a word. */
function fallbackTerms(word: string, stems: readonly string[]): string[] {
  const exact = foldDiacritics(word);
  const asWords = stems.filter((stem) => stem !== exact).map((stem) => EXACT_PREFIX + stem);
  return stems.includes(exact) ? asWords : [exact, ...asWords];
}

/** The words of a query that are looked for, with how often each occurs. */
function countQueryWords(
  words: readonly string[],
  languages: readonly LanguageShare[],
): Map<string, number> {
  const isStop = (word: string) =>
    languages.some(({ language, share }) =>
      share >= MIN_STOP_SHARE && language.stopWords.has(word)
    );
  const telling = words.filter((word) => !isStop(word));
  const counts = new Map<string, number>();
  // "The Who" has only stop words, and still means something.
  for (const word of telling.length > 0 ? telling : words) addTo(counts, word, 1);
  return counts;
}

function addTo(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}
