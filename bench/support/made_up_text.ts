const SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo zu ar el in os un".split(" ");
const STOPS = "the of and to in is that for with on are this be by an from it at".split(" ");
const WORDS = 30_000;

/** Prose of no meaning, always the same: words as frequent as they are in a language, every third a stop word. */
export class MadeUpText {
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

  /** What somebody might ask: a few words, some of them rare. */
  query(): string {
    return Array.from({ length: 8 }, () => this.#word()).join(" ");
  }

  #word(): string {
    if (this.#draw() < 1 / 3) return STOPS[Math.floor(this.#draw() * STOPS.length)]!;
    // Zipf: the logarithm of the rank is even.
    return nameOf(Math.floor(Math.exp(this.#draw() * Math.log(WORDS))));
  }

  /** Between 0 and 1. Mulberry32. */
  #draw(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}

function nameOf(rank: number): string {
  let name = "";
  for (let rest = rank + 400; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    name += SYLLABLES[rest % SYLLABLES.length];
  }
  return name;
}
