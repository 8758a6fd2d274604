import { createHash } from "node:crypto";

/**
 * A chain of hashes: h(0) is the seed, and h(n) is SHA-256 of h(n-1) and text n in UTF-8. Its head proves
 * every text, their order and their number.
 */
export class HashChain {
  #head: Uint8Array;
  #length = 0;

  constructor(seed: Uint8Array) {
    this.#head = seed;
  }

  get length(): number {
    return this.#length;
  }

  get head(): Uint8Array {
    return this.#head;
  }

  add(text: string): void {
    this.#head = createHash("sha256").update(this.#head).update(text).digest();
    this.#length++;
  }

  copy(): HashChain {
    const copy = new HashChain(this.#head);
    copy.#length = this.#length;
    return copy;
  }
}
