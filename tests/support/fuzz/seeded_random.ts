import { seeded } from "../flaky_kv.ts";

/** Random choices, reproducible by seed. */
export class SeededRandom {
  #random: () => number;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.#random() * (max - min + 1));
  }

  /** A number from `min` to `max`. */
  number(min: number, max: number): number {
    return min + this.#random() * (max - min);
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    const picked = list[Math.floor(this.#random() * list.length)];
    if (picked === undefined && list.length === 0) throw new Error("nothing to pick from");
    return picked as T;
  }
}
