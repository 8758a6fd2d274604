import type { DocumentPassage } from "../passage.ts";
import { identifyLanguage, type LanguageGuess, type LanguageScorer } from "./identify_language.ts";
import { DEFAULT_LANGUAGE, type Language } from "./languages.ts";

/** Guesses by the text, and if that is not certain, by the headings and title too. */
export function guessPassageLanguage(
  { text, headingPath, title }: Pick<DocumentPassage, "text" | "headingPath" | "title">,
  score: LanguageScorer,
): LanguageGuess {
  const byText = identifyLanguage(text, score);
  if (byText.certain) return byText;
  const context = [text, ...headingPath, title].filter((part) => part !== "");
  const byAll = context.length > 1 ? identifyLanguage(context.join(". "), score) : byText;
  return byAll.certain || byText.candidates.length === 0 ? byAll : byText;
}

/**
 * The languages that each passage of a document is stemmed by, the likeliest first: a certain guess
 * alone, else all candidates and the expected language, which is the most common one of the document or
 * else the `fallback` of the base. The expected language is first if it is a candidate.
 */
export function assignLanguages(
  guesses: readonly LanguageGuess[],
  { fallback }: { fallback: Language },
): (readonly Language[])[] {
  const expected = mostCommon(guesses.filter(({ certain }) => certain)) ?? fallback;
  return guesses.map(({ candidates, certain }) => {
    if (certain) return candidates;
    const ordered = candidates.includes(expected)
      ? [expected, ...candidates]
      : [...candidates, expected];
    return [...new Set(ordered)];
  });
}

/** The owner's choice, else the most common language of the base, else English. */
export function fallbackLanguage(
  chosen: Language | undefined,
  guesses: Iterable<LanguageGuess>,
): Language {
  return chosen ?? mostCommon(guesses) ?? DEFAULT_LANGUAGE;
}

/** An uncertain guess is divided among its candidates, in favour of the better ones. */
function mostCommon(guesses: Iterable<LanguageGuess>): Language | undefined {
  const weights = new Map<Language, number>();
  const add = (language: Language, weight: number) => {
    weights.set(language, (weights.get(language) ?? 0) + weight);
  };
  for (const { candidates } of guesses) {
    const total = candidates.reduce((sum, _, n) => sum + 1 / (n + 1), 0);
    for (const [n, language] of candidates.entries()) add(language, 1 / (n + 1) / total);
  }
  let best: Language | undefined;
  for (const [language, weight] of weights) {
    if (best === undefined || weight > weights.get(best)!) best = language;
  }
  return best;
}
