const SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo zu ar el in os un".split(" ");
const STOP_WORDS = "the of and to in is that for with on are this be by an from it at".split(" ");
const WORDS = 30_000;

/** Deterministic meaningless prose with the word frequencies of a language; a third are stop words. */
export class GeneratedText {
  #state: number;

  constructor(seed = 1) {
    this.#state = seed;
  }

  /** About `length` characters. */
  text(length: number): string {
    const words: string[] = [];
    for (let left = length; left > 0; left -= words.at(-1)!.length + 1) words.push(this.#word());
    return words.join(" ");
  }

  /** A query of a few words, some of them rare. */
  query(): string {
    return Array.from({ length: 8 }, () => this.#word()).join(" ");
  }

  #word(): string {
    if (this.#random() < 1 / 3) return STOP_WORDS[Math.floor(this.#random() * STOP_WORDS.length)]!;
    // Zipf's law: the logarithm of the rank is uniformly distributed.
    return wordOf(Math.floor(Math.exp(this.#random() * Math.log(WORDS))));
  }

  /** Between 0 and 1. Mulberry32. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}

function wordOf(rank: number): string {
  let word = "";
  for (let rest = rank + 400; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word;
}
