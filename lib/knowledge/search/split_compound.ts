import { foldDiacritics } from "./fold_diacritics.ts";
import { exactTerm } from "./index_terms.ts";
import type { Language } from "./languages.ts";

const MIN_LENGTH = 7;
const MAX_LENGTH = 40;
const MIN_PART = 3;
/** The shortest end and beginning that are used without the rest of the compound. */
const MIN_LONE_END = 4;
const MIN_LONE_START = 5;
/** Letters between the parts of compounds. */
const LINKS = ["", "s", "es", "n", "en", "e", "er"];
/** The last part of a compound says what it is, the ones before which one. */
const SHARES = { end: 1, start: 0.7, loneEnd: 0.7, loneStart: 0.4 };

/** A term of an index, and how much of the compound's meaning it has. */
export interface CompoundPart {
  term: string;
  share: number;
}

interface Terms {
  has(term: string): boolean;
}

/**
 * The parts of a compound that are terms of an index: `Lieferzeit` gives the stems of `Lieferung` and
 * `Zeit`. If it cannot be divided completely, its longest end in the index, or else its beginning.
 */
export function splitCompound(
  word: string,
  { languages, vocabulary }: { languages: readonly Language[]; vocabulary: Terms },
): CompoundPart[] {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return [];
  let loneEnd: string | undefined;
  for (let at = MIN_PART; at <= word.length - MIN_PART; at++) {
    const end = findEnd(word.slice(at), { languages, vocabulary });
    if (end === undefined) continue;
    const starts = findStarts(word.slice(0, at), vocabulary);
    if (starts !== undefined) {
      return [...starts.map(toPart(SHARES.start)), { term: end, share: SHARES.end }];
    }
    if (word.length - at >= MIN_LONE_END) loneEnd ??= end;
  }
  if (loneEnd !== undefined) return [{ term: loneEnd, share: SHARES.loneEnd }];
  const start = findLoneStart(word, vocabulary);
  return start === undefined ? [] : [{ term: start, share: SHARES.loneStart }];
}

function toPart(share: number): (term: string) => CompoundPart {
  return (term) => ({ term, share });
}

function findEnd(
  part: string,
  { languages, vocabulary }: { languages: readonly Language[]; vocabulary: Terms },
): string | undefined {
  for (const { stem, stopWords } of languages) {
    const term = stopWords.has(part) ? "" : foldDiacritics(stem(part));
    if (term.length >= MIN_PART && vocabulary.has(term)) return term;
  }
  return undefined;
}

/** One or two parts that make up the beginning of a compound. */
function findStarts(text: string, vocabulary: Terms): string[] | undefined {
  const whole = findStart(text, vocabulary);
  if (whole !== undefined) return [whole];
  for (let at = MIN_PART; at <= text.length - MIN_PART; at++) {
    const second = findStart(text.slice(at), vocabulary);
    if (second === undefined) continue;
    const first = findStart(text.slice(0, at), vocabulary);
    if (first !== undefined) return [first, second];
  }
  return undefined;
}

function findLoneStart(word: string, vocabulary: Terms): string | undefined {
  for (let end = word.length - MIN_PART; end >= MIN_LONE_START; end--) {
    const start = findStart(word.slice(0, end), vocabulary);
    if (start !== undefined) return start;
  }
  return undefined;
}

/** A stem or a word, with or without the letters that link it to the next part. */
function findStart(text: string, vocabulary: Terms): string | undefined {
  const folded = foldDiacritics(text);
  for (const link of LINKS) {
    const bare = folded.slice(0, folded.length - link.length);
    if (bare.length < MIN_PART || !folded.endsWith(link)) continue;
    for (const term of [bare, exactTerm(bare)]) if (vocabulary.has(term)) return term;
  }
  return undefined;
}
