import { exactTerm, foldDiacritics } from "./index_terms.ts";
import type { Language } from "./languages.ts";

const MIN_LENGTH = 7;
const MAX_LENGTH = 40;
const MIN_PART = 3;
/** The shortest part that is used although the other one is in no text. */
const MIN_LONE_PART = 4;
/** Letters between the parts of compounds. */
const LINKS = ["", "s", "es", "n", "en", "e", "er"];

/** A term of the index, and how much of the compound's meaning it has. */
export interface CompoundPart {
  term: string;
  share: number;
}

interface Terms {
  has(term: string): boolean;
}

/**
 * The parts of a compound that are words of the index: `Lieferzeit` gives the stem of `Lieferung` and
 * `Zeit`. Without a complete division, its longest end or beginning in the index.
 */
export function splitCompound(
  word: string,
  { languages, vocabulary }: { languages: readonly Language[]; vocabulary: Terms },
): CompoundPart[] {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return [];
  let lone: { term: string; length: number; share: number } | undefined;
  for (let at = MIN_PART; at <= word.length - MIN_PART; at++) {
    const right = resolveEnd(word.slice(at), { languages, vocabulary });
    if (right === undefined) continue;
    const left = resolveStart(word.slice(0, at), vocabulary);
    if (left !== undefined) {
      return [...left.map((term) => ({ term, share: 0.7 })), { term: right, share: 1 }];
    }
    if (lone === undefined && word.length - at >= MIN_LONE_PART) {
      lone = { term: right, length: word.length - at, share: 0.7 };
    }
  }
  if (lone !== undefined) return [lone];
  for (let at = word.length - MIN_PART; at >= MIN_LONE_PART + 1; at--) {
    const left = resolvePart(word.slice(0, at), vocabulary);
    if (left !== undefined) return [{ term: left, share: 0.4 }];
  }
  return [];
}

function resolveEnd(
  part: string,
  { languages, vocabulary }: { languages: readonly Language[]; vocabulary: Terms },
): string | undefined {
  for (const { stem, stopWords } of languages) {
    if (stopWords.has(part)) continue;
    const term = foldDiacritics(stem(part));
    if (term.length >= MIN_PART && vocabulary.has(term)) return term;
  }
  return undefined;
}

/** One or two parts. */
function resolveStart(part: string, vocabulary: Terms): string[] | undefined {
  const whole = resolvePart(part, vocabulary);
  if (whole !== undefined) return [whole];
  for (let at = MIN_PART; at <= part.length - MIN_PART; at++) {
    const last = resolvePart(part.slice(at), vocabulary);
    const first = last && resolvePart(part.slice(0, at), vocabulary);
    if (first !== undefined) return [first, last!];
  }
  return undefined;
}

function resolvePart(part: string, vocabulary: Terms): string | undefined {
  const folded = foldDiacritics(part);
  for (const link of LINKS) {
    if (!folded.endsWith(link) || folded.length - link.length < MIN_PART) continue;
    const bare = link === "" ? folded : folded.slice(0, -link.length);
    for (const term of [bare, exactTerm(bare)]) if (vocabulary.has(term)) return term;
  }
  return undefined;
}
