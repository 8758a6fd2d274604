import { hasCompounds } from "./compound_index.ts";
import { type CompoundPart, splitCompound } from "./split_compound.ts";
import {
  addTo,
  countQueryWords,
  exactTerm,
  foldDiacritics,
  type LanguageShare,
  stemsOf,
  wordTerms,
} from "./index_terms.ts";
import { similarWords } from "./similar_words.ts";

/** Of a word with a typing error corrected, relative to a word as it was typed. */
const CORRECTED_WEIGHT = Number(Deno.env.get("W_CORR") ?? 0.7);
/** Of two words joined, and of a word that is in no text divided into two. */
const JOINED_WEIGHT = Number(Deno.env.get("W_JOIN") ?? 0.5);
const DIVIDED_WEIGHT = Number(Deno.env.get("W_DIV") ?? 0.3);
/** Of the parts of a compound, and of compounds that a word is a part of. */
const PART_WEIGHT = Number(Deno.env.get("W_PART") ?? 0.3);
const UNKNOWN_PART_WEIGHT = Number(Deno.env.get("W_UPART") ?? 0.6);
const COMPOUND_WEIGHT = Number(Deno.env.get("W_COMP") ?? 0.3);

const MAX_CORRECTIONS = 3;
/** Words of one query that are corrected or divided, and words whose compounds are looked up. */
const MAX_CORRECTED_WORDS = 12;
const MAX_COMPOUND_WORDS = 32;
const MIN_DIVIDED_PART = 2;

/** The terms of an index. */
export interface Vocabulary {
  has(term: string): boolean;
  /** Words that begin or end with `part`. */
  compoundsOf(part: string): readonly string[];
}

/** Terms that count as one: a text with several of them scores as if one were repeated. */
export interface TermGroup {
  terms: readonly string[];
  weight: number;
  /** A word that is as common as the group, at least. */
  of: string;
}

export interface ExpandedQuery {
  weights: Map<string, number>;
  groups: TermGroup[];
}

/**
 * The terms of a query with their weights: those of its words, and with less weight those of words that
 * it may mean.
 */
export function expandQuery(
  words: readonly string[],
  { languages, vocabulary }: { languages: readonly LanguageShare[]; vocabulary: Vocabulary },
): ExpandedQuery {
  const query: ExpandedQuery = { weights: new Map(), groups: [] };
  const stemmers = languages.map(({ language }) => language);
  const compounding = stemmers.filter(hasCompounds);
  let [corrected, compounds] = [0, 0];
  for (const [word, count] of countQueryWords(words, languages)) {
    const terms = wordTerms(word, stemmers);
    for (const [term, weight] of terms) addTo(query.weights, term, count * weight);
    const isKnown = [...terms.keys()].some((term) => vocabulary.has(term));
    const add = (other: string, weight: number) => {
      for (const term of [...stemsOf(other, stemmers), exactTerm(other)]) {
        const share = term.startsWith("=") ? 0.1 : 1;
        if (vocabulary.has(term)) addTo(query.weights, term, count * weight * share);
      }
    };
    if (!isKnown && corrected < MAX_CORRECTED_WORDS) {
      corrected++;
      for (const term of corrections(word, { stems: stemsOf(word, stemmers), vocabulary })) {
        if (term.startsWith("=")) add(term.slice(1), CORRECTED_WEIGHT);
        else addTo(query.weights, term, count * CORRECTED_WEIGHT);
      }
      for (const part of divide(word, vocabulary)) add(part, DIVIDED_WEIGHT);
    }
    if (compounding.length > 0 && compounds < MAX_COMPOUND_WORDS) {
      compounds++;
      const parts = splitCompound(word, { languages: compounding, vocabulary });
      const weight = isKnown ? PART_WEIGHT : UNKNOWN_PART_WEIGHT;
      for (const { term, share } of parts) addTo(query.weights, term, count * weight * share);
      for (const stem of new Set(stemsOf(word, compounding))) {
        const found = vocabulary.compoundsOf(stem).map((one) => "=" + one);
        const others = found.filter((term) => !query.weights.has(term));
        if (others.length > 0) {
          query.groups.push({ terms: others, weight: count * COMPOUND_WEIGHT, of: stem });
        }
      }
    }
  }
  for (let n = 1; n < words.length; n++) {
    const joined = words[n - 1]! + words[n]!;
    const exact = exactTerm(joined);
    if (query.weights.has(exact) || !vocabulary.has(exact)) continue;
    for (const stem of stemsOf(joined, stemmers)) addTo(query.weights, stem, JOINED_WEIGHT);
    addTo(query.weights, exact, JOINED_WEIGHT * 0.1);
  }
  return query;
}

/** Terms of the index that differ by one typing error from a word or its stem. */
function corrections(
  word: string,
  { stems, vocabulary }: { stems: readonly string[]; vocabulary: Vocabulary },
): string[] {
  const found = new Set<string>();
  const exact = foldDiacritics(word);
  const search = (text: string, prefix: string) => {
    for (const similar of similarWords(text)) {
      if (found.size === MAX_CORRECTIONS) return;
      const term = prefix + similar;
      if (vocabulary.has(term)) found.add(term);
    }
  };
  search(exact, "=");
  if (found.size === 0) for (const stem of stems) if (stem !== exact) search(stem, "");
  return [...found];
}

/** Two words of the index that a word consists of: "wifi" may be "wi fi" in a text. */
function divide(word: string, vocabulary: Vocabulary): string[] {
  for (let size = Math.floor(word.length / 2); size >= MIN_DIVIDED_PART; size--) {
    for (const at of new Set([size, word.length - size])) {
      const parts = [word.slice(0, at), word.slice(at)];
      if (parts.every((part) => vocabulary.has(exactTerm(part)))) return parts;
    }
  }
  return [];
}
export type { CompoundPart };
