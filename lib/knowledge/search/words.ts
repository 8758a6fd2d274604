/** Scripts that write words without spaces, or that join to a word what belongs to its neighbours. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Where dictionaries cut now here and now there, so that pairs of characters are looked for as well. */
const PAIRED = /^[\p{Script=Han}\p{Script=Hangul}]{3,}$/u;
const BEYOND_ASCII = /[^\p{ASCII}]/u;
/** Words, or several with hyphens between them; soft hyphens are invisible and part of a word. */
const RUN = /[\p{L}\p{N}\p{M}\u00ad]+(?:[-\u2010\u2011][\p{L}\p{N}\p{M}\u00ad]+)*/gu;
const ASCII_RUN = /[a-z0-9]+(?:-[a-z0-9]+)*/g;
const HYPHEN = /[-\u2010\u2011]/;
const SOFT_HYPHENS = /\u00ad/g;
/** What is longer is data, not language: an encoded picture, a key. */
const MAX_WORD_LENGTH = 64;

/** Any locale will do: the dictionaries go by script. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** A word and where it stands in its text, in UTF-16 units. */
export interface PlacedWord {
  word: string;
  start: number;
  end: number;
}

/**
 * The words of a text in lower case, in any script, with compatibility forms replaced by plain ones. What
 * a hyphen joins is there in parts and joined: "wi-fi" is `wi`, `fi` and `wifi`.
 */
export function wordsOf(text: string): string[] {
  if (BEYOND_ASCII.test(text)) return placedWords(text).map(({ word }) => word);
  const runs = text.toLowerCase().match(ASCII_RUN) ?? [];
  return runs.flatMap((run) => run.includes("-") ? withJoined(run.split("-")) : run)
    .filter(isWord);
}

/** As `wordsOf`, with their places. */
export function placedWords(text: string): PlacedWord[] {
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => placedInRun(run, index))
    .filter(({ word }) => isWord(word));
}

function isWord(word: string): boolean {
  return word !== "" && word.length <= MAX_WORD_LENGTH;
}

/** The parts of a hyphenated word, each two neighbours as one, and all of them as one. */
function withJoined(parts: readonly string[]): string[] {
  const pairs = parts.slice(1).map((part, n) => parts[n]! + part);
  return parts.length > 2 ? [...parts, ...pairs, parts.join("")] : [...parts, ...pairs];
}

function placedInRun(run: string, at: number): PlacedWord[] {
  if (!HYPHEN.test(run)) return placedInPart(run, at);
  const parts = partsOf(run, at);
  const pairs = parts.slice(1).map((part, n) => joined([parts[n]!, part]));
  const whole = parts.length > 2 ? [joined(parts)] : [];
  const single = parts.flatMap(({ word, start }) => placedInPart(word, start));
  // In the order of their starts, so that who marks them can merge what overlaps.
  return [...single, ...pairs, ...whole].sort((a, b) => a.start - b.start);
}

/** The parts of a hyphenated word as they are written. */
function partsOf(run: string, at: number): PlacedWord[] {
  let start = at;
  return run.split(HYPHEN).map((part) => {
    const placed = { word: part, start, end: start + part.length };
    start = placed.end + 1;
    return placed;
  });
}

function joined(parts: readonly PlacedWord[]): PlacedWord {
  const word = plain(parts.map(({ word }) => word).join(""));
  return { word, start: parts[0]!.start, end: parts.at(-1)!.end };
}

function placedInPart(part: string, at: number): PlacedWord[] {
  if (!UNSPACED.test(part)) return [{ word: plain(part), start: at, end: at + part.length }];
  return [...segmenter.segment(part)].flatMap(({ segment, index }) => {
    const start = at + index;
    const whole = { word: plain(segment), start, end: start + segment.length };
    return PAIRED.test(segment) ? [whole, ...pairsOf(segment, start)] : [whole];
  });
}

function pairsOf(segment: string, at: number): PlacedWord[] {
  const characters = [...segment];
  let start = at;
  return characters.slice(1).map((next, n) => {
    const first = characters[n]!;
    const pair = { word: plain(first + next), start, end: start + first.length + next.length };
    start += first.length;
    return pair;
  });
}

function plain(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word.toLowerCase();
  return word.replace(SOFT_HYPHENS, "").normalize("NFKC").toLowerCase();
}
