import { foldDiacritics } from "./fold_diacritics.ts";
import { exactTerm, stemsOf, wordTerms } from "./index_terms.ts";
import type { Language } from "./languages.ts";
import { similarWords } from "./similar_words.ts";

const MAX_CORRECTIONS = 3;

interface Terms {
  has(term: string): boolean;
}

/**
 * The weighted terms of words of an index that differ from `word` by one typing error, the likeliest
 * first. If there are none, of stems that differ from its stem: "retruns" finds "return".
 */
export function correctWord(
  word: string,
  { languages, vocabulary }: { languages: readonly Language[]; vocabulary: Terms },
): ReadonlyMap<string, number>[] {
  const exact = foldDiacritics(word);
  const words = first(similarWords(exact), (similar) => vocabulary.has(exactTerm(similar)));
  if (words.length > 0) return words.map((similar) => wordTerms(similar, languages));
  const stems = stemsOf(word, languages);
  const found = stems.flatMap((stem) => first(similarWords(stem), (one) => vocabulary.has(one)));
  return [...new Set(found)].slice(0, MAX_CORRECTIONS).map((stem) => new Map([[stem, 1]]));
}

/** The first few different ones. */
function first(words: Iterable<string>, isWanted: (word: string) => boolean): string[] {
  const found = new Set<string>();
  for (const word of words) {
    if (isWanted(word)) found.add(word);
    if (found.size === MAX_CORRECTIONS) break;
  }
  return [...found];
}
