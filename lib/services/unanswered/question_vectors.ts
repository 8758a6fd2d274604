import { cutText } from "../../platform/cut_text.ts";
import type { EventLoopYielder } from "../../platform/event_loop_yielder.ts";
import { foldDiacritics } from "../../knowledge/search/fold_diacritics.ts";
import { DEFAULT_LANGUAGE, type Language, LANGUAGES } from "../../knowledge/search/languages.ts";
import { splitWords } from "../../knowledge/search/split_words.ts";

/** Of a question, in UTF-16 units: what follows is an explanation, and there may be 20,000 questions. */
const MAX_LENGTH = 400;
/** Of its terms, the first. */
const MAX_TERMS = 32;

/** The stems of a question's words with their rarity among the questions, the rarest first. */
export type QuestionVector = readonly (readonly [term: string, weight: number])[];

interface QuestionVectors {
  /** Equal for questions in the same words. */
  keyOf(n: number): string;
  /** The vectors of these questions, by the rarity of words among them. */
  weigh(positions: readonly number[]): QuestionVector[];
}

/** Splits and stems questions. */
export async function toVectors(
  questions: readonly string[],
  yielder?: EventLoopYielder,
): Promise<QuestionVectors> {
  const words: string[][] = [];
  const languages: (Language | undefined)[] = [];
  for (const question of questions) {
    if (yielder?.isDue) await yielder.yield();
    const some = splitWords(cutText(question, 0, MAX_LENGTH));
    words.push(some);
    languages.push(languageOf(some));
  }
  const usual = mostFrequent(languages) ?? DEFAULT_LANGUAGE;
  const terms: Set<string>[] = [];
  for (const [n, some] of words.entries()) {
    if (yielder?.isDue) await yielder.yield();
    terms.push(termsOf(some, languages[n] ?? usual));
  }
  return {
    keyOf: (n) => words[n]!.join(" "),
    weigh: (positions) => weighTerms(positions.map((n) => terms[n]!)),
  };
}

function weighTerms(terms: readonly ReadonlySet<string>[]): QuestionVector[] {
  const counts = new Map<string, number>();
  for (const some of terms) for (const term of some) counts.set(term, (counts.get(term) ?? 0) + 1);
  const rarity = (term: string) => Math.log(1 + terms.length / counts.get(term)!);
  return terms.map((some) =>
    [...some].map((term) => [term, rarity(term)] as const).sort(([, a], [, b]) => b - a)
  );
}

/** The language with most stop words in a question; `undefined` if there is none, or several. */
function languageOf(words: readonly string[]): Language | undefined {
  const counts = LANGUAGES.map(({ stopWords }) => words.filter((one) => stopWords.has(one)).length);
  const most = Math.max(...counts);
  const at = counts.indexOf(most);
  return most === 0 || at !== counts.lastIndexOf(most) ? undefined : LANGUAGES[at];
}

function termsOf(words: readonly string[], { stopWords, stem }: Language): Set<string> {
  const content = words.filter((word) => !stopWords.has(word));
  const used = content.length > 0 ? content : words;
  return new Set(used.slice(0, MAX_TERMS).map((word) => foldDiacritics(stem(word))));
}

function mostFrequent(languages: readonly (Language | undefined)[]): Language | undefined {
  const known = Map.groupBy(languages.filter((one) => one !== undefined), (one) => one);
  return [...known].sort(([, a], [, b]) => b.length - a.length)[0]?.[0];
}
