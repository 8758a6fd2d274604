import type { DocumentPassage } from "../passage.ts";
import { identifyLanguage, type LanguageGuess, type LanguageScorer } from "./identify_language.ts";
import { DEFAULT_LANGUAGE, type Language } from "./languages.ts";

/** Guesses the language of a passage: by its text, and by its headings and title where that is not certain. */
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
 * The languages that each passage of a document is stemmed by, the likeliest first. One that is certain
 * of its language has that one. Any other has its candidates and the language that is expected of it:
 * that of the rest of its document, or else the `fallback` of its base. The expected one leads where it
 * is among the candidates.
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

/** What is expected of a passage that tells nothing: the owner's choice, the base's majority, English. */
export function fallbackLanguage(
  chosen: Language | undefined,
  guesses: Iterable<LanguageGuess>,
): Language {
  return chosen ?? mostCommon(guesses) ?? DEFAULT_LANGUAGE;
}

/**
 * The most common language. A certain guess counts as one; an uncertain one is divided among its
 * candidates, the better ones getting more.
 */
function mostCommon(guesses: Iterable<LanguageGuess>): Language | undefined {
  const weights = new Map<Language, number>();
  const add = (language: Language, weight: number) => {
    weights.set(language, (weights.get(language) ?? 0) + weight);
  };
  for (const { candidates } of guesses) {
    if (candidates.length === 1) {
      add(candidates[0]!, 1);
      continue;
    }
    const total = candidates.reduce((sum, _, n) => sum + 1 / (n + 1), 0);
    for (const [n, language] of candidates.entries()) add(language, 1 / (n + 1) / total);
  }
  let best: Language | undefined;
  for (const [language, weight] of weights) {
    if (best === undefined || weight > weights.get(best)!) best = language;
  }
  return best;
}
