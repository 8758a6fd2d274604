import type { Signer } from "./hashing.ts";

const MAX_REMEMBERED = 10_000;

/**
 * Keyed hashes of texts that come again and again, such as addresses: the latest are remembered, so that
 * each is made once. Never for secrets.
 */
export class HashCache {
  readonly #signer: Pick<Signer, "sign">;
  readonly #known = new Map<string, Promise<string>>();

  constructor(signer: Pick<Signer, "sign">) {
    this.#signer = signer;
  }

  sign(text: string): Promise<string> {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_REMEMBERED) this.#known.delete(oldest!);
    const made = this.#signer.sign(text);
    this.#known.set(text, made);
    return made;
  }
}
