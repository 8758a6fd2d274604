import { fold } from "./fold.ts";
import type { Language } from "./languages.ts";

/** A word as it is looked up. */
export interface Term {
  /** Its stem, without marks. */
  term: string;
  /** Every text of the language has it: it tells nothing, and does not count as length. */
  stop: boolean;
}

/** What a word of a text in `language` is found by; undefined is a language without known stems. */
export function termOf(word: string, language: Language | undefined): Term {
  if (language === undefined) return { term: fold(word), stop: false };
  return { term: fold(language.stem(word)), stop: language.stops.has(word) };
}

/** All that a word of a query may be found by in texts of these languages. */
export function queryTerms(words: readonly string[], languages: readonly Language[]): string[] {
  const distinct = [...new Set(words)];
  const isStop = (word: string) => languages.some(({ stops }) => stops.has(word));
  const telling = distinct.filter((word) => !isStop(word));
  // Who asks for "The Who" asks for stop words alone.
  const asked = telling.length > 0 ? telling : distinct;
  const readings = [undefined, ...languages];
  return [...new Set(asked.flatMap((word) => readings.map((one) => termOf(word, one).term)))];
}
