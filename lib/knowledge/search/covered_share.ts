import type { Coverage } from "../../schemas/coverage.ts";
import { expandQuery, type Vocabulary } from "./expand_query.ts";
import { countQueryWords, exactTerm, indexTerms, type LanguageShare } from "./index_terms.ts";
import type { Language } from "./languages.ts";

/** Terms of less weight only help to find texts whose language was guessed wrong. */
const MIN_TERM_WEIGHT = 0.05;
/** Of a word that a text has in another form: a part of a compound, or one with a typing error. */
const MIN_MATCH = 0.5;
/**
 * Measured on 94 questions in 5 languages: below `enough`, 92 to 94 % of the questions have no answer, and
 * 96 to 98 % of those without an answer are below it. See docs/decisions.
 */
const MIN_SHARE = { little: 0.2, enough: 0.35 };
/** The most words of a query that are looked at. */
const MAX_WORDS = 24;

export interface JudgedPassage {
  words: readonly string[];
  languages: readonly Language[];
}

/** What a covered share means for the question. */
export function coverageOf(share: number): Coverage {
  if (share >= MIN_SHARE.enough) return "enough";
  return share >= MIN_SHARE.little ? "little" : "nothing";
}

/**
 * The share of what a query asks for that one of the passages says, from 0 to 1: the words of the query
 * that it contains, each weighted by how rare it is. A word that no passage of the base has counts as one
 * that a single passage has.
 */
export function coveredShare(
  query: readonly string[],
  { passages, languages, vocabulary, rarityOf }: {
    /** The best ones. */
    passages: readonly JudgedPassage[];
    languages: readonly LanguageShare[];
    vocabulary: Vocabulary;
    /** The inverse document frequency of the commonest of these terms. */
    rarityOf: (terms: readonly string[]) => number;
  },
): number {
  const contents = passages.map(termsOf);
  const sums = passages.map(() => 0);
  let whole = 0;
  for (const word of [...countQueryWords(query, languages).keys()].slice(0, MAX_WORDS)) {
    const { weights, groups } = expandQuery([word], { languages, vocabulary });
    const exact = exactTerm(word);
    const strong = [...weights].filter(([term, weight]) =>
      weight >= MIN_TERM_WEIGHT || term === exact
    );
    const terms = [...strong.map(([term]) => term), ...groups.flatMap(({ terms }) => terms)];
    const rarity = rarityOf(terms);
    whole += rarity;
    for (const [n, content] of contents.entries()) {
      const best = Math.max(
        0,
        ...strong.filter(([term]) => content.has(term))
          .map(([term, weight]) => term === exact ? 1 : weight),
        ...groups.filter((group) => group.terms.some((term) => content.has(term)))
          .map(({ weight }) => weight),
      );
      sums[n]! += best === 0 ? 0 : rarity * Math.min(1, Math.max(MIN_MATCH, best));
    }
  }
  return whole === 0 ? 0 : Math.max(0, ...sums) / whole;
}

function termsOf({ words, languages }: JudgedPassage): Set<string> {
  return new Set(words.flatMap((word) => indexTerms(word, languages).terms));
}
