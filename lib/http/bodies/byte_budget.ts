/** A per-process limit on bytes held in memory, shared fairly between holders. */
export class ByteBudget {
  #total = 0;
  #available = 0;
  #maxPerHolder = 0;
  readonly #held = new Map<string, number>();

  /** `share` is the maximum of one holder; by default the whole budget. */
  constructor(bytes: number, options?: { share?: number }) {
    this.resize(bytes, options);
  }

  /** Changes the limits; bytes already taken stay taken. */
  resize(bytes: number, { share = bytes }: { share?: number } = {}): void {
    this.#available += bytes - this.#total;
    this.#total = bytes;
    this.#maxPerHolder = share;
  }

  get available(): number {
    return this.#available;
  }

  /** Takes bytes on behalf of every holder; false, and takes none, if that would exceed a limit. */
  take(bytes: number, holders: readonly string[] = []): boolean {
    if (bytes > this.#available) return false;
    if (holders.some((holder) => this.#heldBy(holder) + bytes > this.#maxPerHolder)) return false;
    this.#available -= bytes;
    for (const holder of holders) this.#held.set(holder, this.#heldBy(holder) + bytes);
    return true;
  }

  release(bytes: number, holders: readonly string[] = []): void {
    this.#available += bytes;
    for (const holder of holders) {
      const rest = this.#heldBy(holder) - bytes;
      if (rest > 0) this.#held.set(holder, rest);
      else this.#held.delete(holder);
    }
  }

  #heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }
}

/**
 * Limited because senders are not authenticated yet and addresses are cheap. Actual memory use is
 * about 1.5 times as much. One address, and one tenant of signed-in users, gets at most a quarter.
 */
export const BODY_BUDGET = new ByteBudget(128 * 1_048_576, { share: 32 * 1_048_576 });
