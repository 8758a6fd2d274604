/** An amount that trials share: each is allotted a part before it begins, and uses some of it. */
export class Allotments {
  readonly #amount: number;
  #spent = 0;
  #allotted = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(amount: number) {
    this.#amount = amount;
  }

  get spent(): number {
    return this.#spent;
  }

  /** What is neither spent nor allotted. */
  get left(): number {
    return this.#amount - this.#spent - this.#allotted;
  }

  /** Waits until there is as much, or nobody is left who could leave more; then less is allotted. */
  async take(wanted: number): Promise<number> {
    while (this.left < wanted && this.#allotted > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const amount = Math.max(0, Math.min(this.left, wanted));
    this.#allotted += amount;
    // The one that ended may have left enough for several.
    this.#waiting.shift()?.();
    return amount;
  }

  /** Ends an allotment, of which `spent` was used. */
  give(allotted: number, spent: number): void {
    this.#allotted -= allotted;
    this.#spent += spent;
    this.#waiting.shift()?.();
  }
}
