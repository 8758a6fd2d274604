import { NO_CODE } from "./folded_text.ts";

/** Scripts that do not separate words by spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
/** Its words are separated, but particles follow them directly. */
const HANGUL = /\p{Script=Hangul}/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const MAX_CACHED = 20_000;

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isAsciiLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

export function isAsciiAlphanumeric(code: number): boolean {
  return isDigit(code) || isAsciiLetter(code);
}

export type WordBoundary = "none" | "word" | "unspaced" | "hangul";
const cache = new Map<number, WordBoundary>();

/** True if a word that starts with `first` can start after `previous`. */
export function isWordStart(previous: number, first: number): boolean {
  const before = boundaryOf(previous);
  if (before === "none" || before === "unspaced") return true;
  const own = boundaryOf(first);
  // A word of another script begins where the script changes.
  return own === "none" || own === "unspaced" || own !== before;
}

/** True if a word that ends with `last` can end before `next`. */
export function isWordEnd(last: number, next: number): boolean {
  const after = boundaryOf(next);
  if (after === "none" || after === "unspaced") return true;
  // Particles follow Latin words and numbers too.
  return boundaryOf(last) !== "word" || after === "hangul";
}

function boundaryOf(code: number): WordBoundary {
  if (code < 128) return isAsciiAlphanumeric(code) ? "word" : "none";
  const known = cache.get(code);
  if (known !== undefined) return known;
  if (cache.size >= MAX_CACHED) cache.clear();
  const boundary = classify(String.fromCodePoint(code));
  cache.set(code, boundary);
  return boundary;
}

function classify(char: string): WordBoundary {
  if (UNSPACED.test(char)) return "unspaced";
  if (HANGUL.test(char)) return "hangul";
  return WORD.test(char) ? "word" : "none";
}

/** True if digits at this place are the fraction of a number, such as those of 3.14. */
export function isFraction(previous: number, beforePrevious: number): boolean {
  return (previous === 46 || previous === 44) && beforePrevious !== NO_CODE &&
    isDigit(beforePrevious);
}
