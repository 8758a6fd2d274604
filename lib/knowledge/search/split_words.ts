/** Scripts without spaces between words, or that join particles to words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Dictionaries segment these inconsistently, so their bigrams are indexed as well. */
const BIGRAM_SCRIPTS = /^[\p{Script=Han}\p{Script=Hangul}]{3,}$/u;
const BEYOND_ASCII = /[^\p{ASCII}]/u;
/** Words, also hyphenated ones; soft hyphens are invisible and part of a word. */
const WORD_RUN = /[\p{L}\p{N}\p{M}\u00ad]+(?:[-\u2010\u2011][\p{L}\p{N}\p{M}\u00ad]+)*/gu;
const ASCII_WORD_RUN = /[a-z0-9]+(?:-[a-z0-9]+)*/g;
const HYPHEN = /[-\u2010\u2011]/;
const SOFT_HYPHENS = /\u00ad/g;
/** Longer "words" are data: encoded images, keys. */
const MAX_WORD_LENGTH = 64;

/** The locale does not matter, because dictionaries are chosen by script. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** The position of a word in its text, in UTF-16 units. */
type WordSpan = { word: string; start: number; end: number };

/**
 * Splits a text of any script into words, in lower case and NFKC. Hyphenated words give their parts and
 * their compounds: "wi-fi" is `wi`, `fi` and `wifi`.
 */
export function splitWords(text: string): string[] {
  if (BEYOND_ASCII.test(text)) return splitWordSpans(text).map(({ word }) => word);
  const runs = text.toLowerCase().match(ASCII_WORD_RUN) ?? [];
  return runs.flatMap((run) => run.includes("-") ? withCompounds(run.split("-")) : run)
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

/** The parts of a hyphenated word, each two neighbours joined, and all of them joined. */
function withCompounds(parts: readonly string[]): string[] {
  const pairs = parts.slice(1).map((part, n) => parts[n]! + part);
  return parts.length > 2 ? [...parts, ...pairs, parts.join("")] : [...parts, ...pairs];
}

function spansInRun(run: string, at: number): WordSpan[] {
  if (!HYPHEN.test(run)) return spansInPart(run, at);
  const parts = hyphenParts(run, at);
  const pairs = parts.slice(1).map((part, n) => joinSpans([parts[n]!, part]));
  const whole = parts.length > 2 ? [joinSpans(parts)] : [];
  const single = parts.flatMap(({ word, start }) => spansInPart(word, start));
  // Ordered by start, so that callers can merge overlaps.
  return [...single, ...pairs, ...whole].sort((a, b) => a.start - b.start);
}

function hyphenParts(run: string, at: number): WordSpan[] {
  let start = at;
  return run.split(HYPHEN).map((part) => {
    const placed = { word: part, start, end: start + part.length };
    start = placed.end + 1;
    return placed;
  });
}

function joinSpans(parts: readonly WordSpan[]): WordSpan {
  const word = normalizeWord(parts.map(({ word }) => word).join(""));
  return { word, start: parts[0]!.start, end: parts.at(-1)!.end };
}

function spansInPart(part: string, at: number): WordSpan[] {
  if (!UNSPACED.test(part)) {
    return [{ word: normalizeWord(part), start: at, end: at + part.length }];
  }
  return [...segmenter.segment(part)].flatMap(({ segment, index }) => {
    const start = at + index;
    const whole = { word: normalizeWord(segment), start, end: start + segment.length };
    return BIGRAM_SCRIPTS.test(segment) ? [whole, ...bigrams(segment, start)] : [whole];
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
