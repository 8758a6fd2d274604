/** A per-process limit on bytes held in memory, shared fairly between holders. */
export class ByteBudget {
  #bytes: number;
  #left: number;
  #share: number;
  readonly #held = new Map<string, number>();

  /** `share` is what one holder may have of it, everything unless given. */
  constructor(bytes: number, { share = bytes }: { share?: number } = {}) {
    this.#bytes = bytes;
    this.#left = bytes;
    this.#share = share;
  }

  /** Sets another limit, and the share of one holder; what is taken stays taken. */
  resize(bytes: number, { share = bytes }: { share?: number } = {}): void {
    this.#left += bytes - this.#bytes;
    this.#bytes = bytes;
    this.#share = share;
  }

  /** What nobody has taken. */
  get available(): number {
    return this.#left;
  }

  /**
   * Takes so many bytes in the name of each holder, or none: where there are fewer, or where a holder
   * would have more than its share.
   */
  take(bytes: number, holders: readonly string[] = []): boolean {
    if (bytes > this.#left) return false;
    if (holders.some((holder) => this.#heldBy(holder) + bytes > this.#share)) return false;
    this.#left -= bytes;
    for (const holder of holders) this.#held.set(holder, this.#heldBy(holder) + bytes);
    return true;
  }

  /** Gives back what was taken in the name of the same holders. */
  release(bytes: number, holders: readonly string[] = []): void {
    this.#left += bytes;
    for (const holder of holders) {
      const left = this.#heldBy(holder) - bytes;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    }
  }

  #heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }
}

/**
 * What the bodies that are being read may take of the memory: their senders are strangers, and
 * addresses are cheap. Held, they weigh half as much again. An address, and a tenant whose user is
 * signed in, has at most a quarter of it.
 */
export const BODY_BUDGET = new ByteBudget(128 * 1_048_576, { share: 32 * 1_048_576 });
