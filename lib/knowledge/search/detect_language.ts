import { type Language, LANGUAGES } from "./languages.ts";

/** So many words of a text tell its language. */
const LOOKED_AT = 50;
const LEAST_VOTES = 3;
/** Of all words looked at; prose has a third or more. */
const LEAST_SHARE = 0.08;
/** A short sentence tells with two, where no other language has as many. */
const SHORT = { votes: 2, share: 0.25 };

/** Which languages a word is a stop word of, by their place in `LANGUAGES`. */
const VOTERS = new Map<string, number[]>();
for (const [n, { stops }] of LANGUAGES.entries()) {
  for (const word of stops) {
    const voters = VOTERS.get(word);
    if (voters === undefined) VOTERS.set(word, [n]);
    else voters.push(n);
  }
}

/** The language of a text by its stop words, which is cheap; undefined where they do not tell. */
export function detectLanguage(words: readonly string[]): Language | undefined {
  const votes = new Array<number>(LANGUAGES.length).fill(0);
  // From all over the text: a heading in another language stands at its beginning.
  const step = Math.max(1, Math.floor(words.length / LOOKED_AT));
  let looked = 0;
  for (let at = 0; at < words.length; at += step) {
    looked++;
    const voters = VOTERS.get(words[at]!);
    if (voters !== undefined) { for (const n of voters) votes[n]!++; }
  }
  const [most, next] = votes.toSorted((a, b) => b - a) as [number, number];
  const tells = most >= LEAST_VOTES
    ? most >= looked * LEAST_SHARE
    : most === SHORT.votes && next < most && most >= looked * SHORT.share;
  return tells ? LANGUAGES[votes.indexOf(most)] : undefined;
}
