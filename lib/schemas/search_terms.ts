/** Words longer than this are cut. */
const MAX_WORD_LENGTH = 40;
/** Endings of inflected words in English and German, the longest first. */
const ENDINGS = ["ings", "ing", "edly", "ed", "ern", "em", "en", "er", "es", "e", "s", "n"];
/** A word keeps at least this many letters. */
const MIN_STEM_LENGTH = 4;

const WORD = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
/** Scripts without spaces between words: each pair of characters is a term. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A word of a text and the terms that stand for it. */
interface Word {
  terms: string[];
  start: number;
  end: number;
}

/** The words of a text in order, without case, accents and common endings. */
export function* wordsIn(text: string): Generator<Word> {
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    const normal = word.normalize("NFKD").replace(MARKS, "").toLowerCase().slice(
      0,
      MAX_WORD_LENGTH,
    );
    const terms = UNSPACED.test(normal) ? pairsIn(normal) : [stem(normal)];
    yield { terms, start: match.index, end: match.index + word.length };
  }
}

/** The different terms of a text, at most `max`. */
export function termsIn(text: string, max: number): Set<string> {
  const found = new Set<string>();
  for (const { terms } of wordsIn(text)) {
    for (const term of terms) {
      if (found.size >= max) return found;
      found.add(term);
    }
  }
  return found;
}

/** Cuts one ending, so that "parcels" finds "parcel"; the same for texts and queries. */
function stem(word: string): string {
  const ending = ENDINGS.find((one) =>
    word.endsWith(one) && word.length - one.length >= MIN_STEM_LENGTH
  );
  return ending === undefined ? word : word.slice(0, -ending.length);
}

function pairsIn(word: string): string[] {
  const letters = [...word];
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, n) => letters[n]! + letter);
}
