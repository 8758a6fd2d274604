import { type Language, LANGUAGES } from "./languages.ts";

/** Words of a text that are looked up. */
const SAMPLE_WORDS = 40;
/** Shorter texts have too few stop words: two of them took "Store in a cool, dry place" for Italian. */
const MIN_WORDS = 20;
/** Share of stop words among those looked up; prose has a third or more. */
const MIN_SHARE = 0.12;
/** How far the first language must be ahead of the second: relatives share stop words. */
const MIN_LEAD = 1.5;

/** By word: the languages it is a stop word of, by their place in `LANGUAGES`. */
const VOTERS = new Map<string, number[]>();
for (const [n, { stops }] of LANGUAGES.entries()) {
  for (const word of stops) {
    const voters = VOTERS.get(word);
    if (voters === undefined) VOTERS.set(word, [n]);
    else voters.push(n);
  }
}

/** The language of a text of some length by its stop words; undefined where they leave a doubt. */
export function languageByStopWords(words: readonly string[]): Language | undefined {
  if (words.length < MIN_WORDS) return undefined;
  const votes = new Array<number>(LANGUAGES.length).fill(0);
  // Sampled from all over the text: a heading in another language stands at its beginning.
  const step = Math.max(1, Math.floor(words.length / SAMPLE_WORDS));
  let looked = 0;
  for (let at = 0; at < words.length; at += step) {
    looked++;
    const voters = VOTERS.get(words[at]!);
    if (voters !== undefined) { for (const n of voters) votes[n]!++; }
  }
  const [most, next] = votes.toSorted((a, b) => b - a) as [number, number];
  const clear = most >= looked * MIN_SHARE && most >= next * MIN_LEAD;
  return clear ? LANGUAGES[votes.indexOf(most)] : undefined;
}
