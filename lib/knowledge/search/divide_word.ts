import { exactTerm } from "./index_terms.ts";

const LETTERS = /^\p{L}+$/u;
const MAX_LENGTH = 40;
/** Longer words have longer parts: fewer of their divisions are words by chance. */
const SHORT_WORD = 6;
const MIN_PART = { ofShort: 2, ofLong: 3 };

interface Terms {
  has(term: string): boolean;
}

/** Two words of an index that a word consists of, nearly equally long, or none: "wifi" is "wi fi". */
export function divideWord(word: string, vocabulary: Terms): string[] {
  if (word.length > MAX_LENGTH || !LETTERS.test(word)) return [];
  const min = word.length <= SHORT_WORD ? MIN_PART.ofShort : MIN_PART.ofLong;
  for (let size = Math.floor(word.length / 2); size >= min; size--) {
    for (const at of [size, word.length - size]) {
      const parts = [word.slice(0, at), word.slice(at)];
      if (parts.every((part) => vocabulary.has(exactTerm(part)))) return parts;
    }
  }
  return [];
}
