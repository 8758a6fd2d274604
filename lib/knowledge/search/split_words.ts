/** Scripts without spaces between words, or that join particles to words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Dictionaries segment these inconsistently, so their bigrams are indexed as well. */
const BIGRAM_SCRIPTS = /^[\p{Script=Han}\p{Script=Hangul}]{3,}$/u;
const BEYOND_ASCII = /[^\p{ASCII}]/u;
/**
 * Words, also those joined by hyphens, and numbers with points or commas; soft hyphens are invisible and
 * part of a word.
 */
const WORD_RUN =
  /[\p{L}\p{N}\p{M}\u00ad]+(?:(?:[-\u2010\u2011]|(?<=\p{N})[.,](?=\p{N}))[\p{L}\p{N}\p{M}\u00ad]+)*/gu;
const ASCII_WORD_RUN = /[a-z0-9]+(?:(?:-|(?<=[0-9])[.,](?=[0-9]))[a-z0-9]+)*/g;
const JOINER = /[-\u2010\u2011.,]/;
/** Digits in groups, as in "1,000" and "1.000". */
const GROUPED_DIGITS = /^\p{N}{1,3}(?:[.,]\p{N}{3})+$/u;
/** Parts of codes such as "A1042" and "10mg". A single character would be found everywhere. */
const CODE_PARTS = /\p{N}{2,}|[\p{L}\p{M}]{2,}/gu;
const LETTER_AND_DIGIT = /\p{L}[\p{L}\p{M}]*\p{N}|\p{N}\p{L}/u;
const ASCII_WORDS = /[a-z0-9]+/g;
/** Whether an ASCII text has words with parts, which most do not. */
const COMPOSED = /-|[0-9][.,][0-9]|[a-z][0-9]|[0-9][a-z]/;
const SOFT_HYPHENS = /\u00ad/g;
/** Longer "words" are data: encoded images, keys. */
const MAX_WORD_LENGTH = 64;

/** The locale does not matter, because dictionaries are chosen by script. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** The position of a word in its text, in UTF-16 units. */
type WordSpan = { word: string; start: number; end: number };

/**
 * Splits a text of any script into words, in lower case and NFKC. Hyphenated words and codes give their
 * parts and their compounds: "wi-fi" is `wi`, `fi` and `wifi`, and "A-1042" is `a`, `1042` and `a1042`.
 * Numbers are whole and in parts: "10.42" is `10`, `42` and `10.42`, and "1,000" also `1000`.
 */
export function splitWords(text: string): string[] {
  if (BEYOND_ASCII.test(text)) return splitWordSpans(text).map(({ word }) => word);
  const lower = text.toLowerCase();
  if (!COMPOSED.test(lower)) return (lower.match(ASCII_WORDS) ?? []).filter(isWord);
  return (lower.match(ASCII_WORD_RUN) ?? [])
    .flatMap((run) => COMPOSED.test(run) ? spansInRun(run, 0).map(({ word }) => word) : run)
    .filter(isWord);
}

/** As `splitWords`, with positions. */
export function splitWordSpans(text: string): WordSpan[] {
  return [...text.matchAll(WORD_RUN)].flatMap(({ 0: run, index }) => spansInRun(run, index))
    .filter(({ word }) => isWord(word));
}

function isWord(word: string): boolean {
  return word !== "" && word.length <= MAX_WORD_LENGTH;
}

function spansInRun(run: string, at: number): WordSpan[] {
  if (!JOINER.test(run)) return spansInPart(run, at);
  const parts = joinedParts(run, at);
  const single = parts.flatMap(({ word, start }) => spansInPart(word, start));
  const pairs = parts.slice(1).map((part, n) => joinSpans(run, at, [parts[n]!, part]));
  const whole = parts.length > 2 ? [joinSpans(run, at, parts)] : [];
  // Ordered by start, so that callers can merge overlaps.
  return [...single, ...pairs, ...whole].sort((a, b) => a.start - b.start);
}

function joinedParts(run: string, at: number): WordSpan[] {
  let start = at;
  return run.split(JOINER).map((part) => {
    const placed = { word: part, start, end: start + part.length };
    start = placed.end + 1;
    return placed;
  });
}

/** Hyphens and group separators are left out; decimal points stay, so that 10.42 is not 1042. */
function joinSpans(run: string, at: number, parts: readonly WordSpan[]): WordSpan {
  const [start, end] = [parts[0]!.start, parts.at(-1)!.end];
  const text = run.slice(start - at, end - at);
  const joined = GROUPED_DIGITS.test(text)
    ? text.replace(/[.,]/g, "")
    : text.replace(/[-\u2010\u2011]/g, "").replaceAll(",", ".");
  return { word: normalizeWord(joined), start, end };
}

function spansInPart(part: string, at: number): WordSpan[] {
  if (!UNSPACED.test(part)) {
    const whole = { word: normalizeWord(part), start: at, end: at + part.length };
    return LETTER_AND_DIGIT.test(part) ? [whole, ...codeParts(part, at)] : [whole];
  }
  return [...segmenter.segment(part)].flatMap(({ segment, index }) => {
    const start = at + index;
    const whole = { word: normalizeWord(segment), start, end: start + segment.length };
    return BIGRAM_SCRIPTS.test(segment) ? [whole, ...bigrams(segment, start)] : [whole];
  });
}

function codeParts(code: string, at: number): WordSpan[] {
  return [...code.matchAll(CODE_PARTS)].map(({ 0: part, index }) => {
    return { word: normalizeWord(part), start: at + index, end: at + index + part.length };
  });
}

function bigrams(segment: string, at: number): WordSpan[] {
  const characters = [...segment];
  let start = at;
  return characters.slice(1).map((next, n) => {
    const first = characters[n]!;
    const pair = {
      word: normalizeWord(first + next),
      start,
      end: start + first.length + next.length,
    };
    start += first.length;
    return pair;
  });
}

function normalizeWord(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word.toLowerCase();
  return word.replace(SOFT_HYPHENS, "").normalize("NFKC").toLowerCase();
}
