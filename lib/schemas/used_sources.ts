/**
 * Which of the found sources an answer draws on. Browser-safe and without imports: the service and the
 * widget apply the same rule.
 */

/** A passage that a knowledge search found. */
export interface FoundSource {
  readonly title: string;
  readonly text: string;
}

/**
 * Each character of Thai, Lao, Tibetan, Burmese, Khmer, Chinese and Japanese is a word of its own. The
 * brackets around `\P` keep the bundler from making a `new RegExp` of it.
 */
const BETWEEN_WORDS = /([\u0e00-\u109f\u1780-\u17ff\u3040-\u9fff])|[\P{IDC}]+/u;

/**
 * The sources that the answer draws on, in their order. A source is used if the
 * answer has most pairs of adjacent words of its title, or enough of those of its text. A pair counts 1
 * divided by the number of sources that have it, so that what every source says counts little. Enough is
 * 2, a 32nd of the answer's pairs, and a quarter of what the best source has. In scripts without spaces
 * between words, three adjacent characters are a pair. Takes time linear in the length of the texts.
 */
export function usedSources<T extends FoundSource>(
  answer: string,
  found: readonly T[],
): T[] {
  /** How many sources have a pair of the answer. */
  const counts = new Map(pairsOf(answer).map((pair) => [pair, 0]));
  const sharedPairs = (text: string) => pairsOf(text).filter((pair) => counts.has(pair));
  const shared = found.map((source) => sharedPairs(source.text));
  for (const pair of shared.flat()) counts.set(pair, counts.get(pair)! + 1);
  const scores = shared.map((pairs) => pairs.reduce((sum, pair) => sum + 1 / counts.get(pair)!, 0));
  const enough = Math.max(8, counts.size / 8, ...scores) / 4;
  return found.filter(({ title }, n) =>
    scores[n]! >= enough || sharedPairs(title)[pairsOf(title).length >> 1]
  );
}

/** Each once; a single word has none. */
function pairsOf(text: string): string[] {
  const words = text.toLowerCase().split(BETWEEN_WORDS).filter(Boolean);
  const pairs = words.slice(1).map((word, n) =>
    words[n] + " " + word + (word[1] ? "" : words[n + 2])
  );
  return [...new Set(pairs)];
}
