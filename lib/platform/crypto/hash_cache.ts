import { LRUCache } from "lru-cache";
import type { Signer } from "./signer.ts";

const MAX_ENTRIES = 10_000;

/** Caches keyed hashes of recurring texts, such as addresses. Never for secrets. */
export class HashCache {
  readonly #hashes: LRUCache<string, Promise<string>>;

  constructor(signer: Pick<Signer, "sign">) {
    const memoMethod = (text: string) => signer.sign(text);
    this.#hashes = new LRUCache({ max: MAX_ENTRIES, memoMethod });
  }

  sign(text: string): Promise<string> {
    return this.#hashes.memo(text);
  }
}
