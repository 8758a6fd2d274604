/** Scripts that write words without spaces, or that join to a word what belongs to its neighbours. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Where dictionaries cut now here and now there, so that pairs of characters are looked for as well. */
const PAIRED = /^[\p{Script=Han}\p{Script=Hangul}]{3,}$/u;
const BEYOND_ASCII = /[^\p{ASCII}]/u;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII_WORD = /[a-z0-9]+/g;
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

/** The words of a text in lower case, in any script; compatibility forms are told as their plain ones. */
export function wordsOf(text: string): string[] {
  if (!BEYOND_ASCII.test(text)) {
    return text.toLowerCase().match(ASCII_WORD)?.filter(isShort) ?? [];
  }
  return [...text.matchAll(WORD)].flatMap(([run]) => wordsOfRun(run)).filter(isShort);
}

/** As `wordsOf`, with their places. */
export function placedWords(text: string): PlacedWord[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: run, index }) => {
    const whole = { word: plain(run), start: index, end: index + run.length };
    return UNSPACED.test(run) ? placedInRun(run, index) : [whole];
  });
}

function isShort(word: string): boolean {
  return word !== "" && word.length <= MAX_WORD_LENGTH;
}

function wordsOfRun(run: string): string[] {
  return UNSPACED.test(run) ? placedInRun(run, 0).map(({ word }) => word) : [plain(run)];
}

function placedInRun(run: string, at: number): PlacedWord[] {
  return [...segmenter.segment(run)].flatMap(({ segment, index }) => {
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
  return (BEYOND_ASCII.test(word) ? word.normalize("NFKC") : word).toLowerCase();
}
