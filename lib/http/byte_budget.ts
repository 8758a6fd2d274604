/** Bytes that a process may hold of something at once. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** What nobody has taken. */
  get left(): number {
    return this.#left;
  }

  /** Takes so many, or none where there are fewer. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/**
 * What the bodies that are being read may take of the memory: their senders are strangers, and
 * addresses are cheap. Held, they weigh half as much again.
 */
export const BODIES = new ByteBudget(128 * 1_048_576);
