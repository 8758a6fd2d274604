import { KnowledgeBaseIndex } from "./knowledge_base_index.ts";
import type { KnowledgeBaseName, PassageSource } from "./passage_source.ts";

/** All indexes of a process together, by their own estimate. */
const MAX_BYTES = 192 * 1_048_576;

/** The indexes of a process: made when a base is first searched, the one used longest ago goes first. */
export class KnowledgeIndexCache {
  readonly #source: PassageSource;
  readonly #maxBytes: number;
  /** The one used last comes last. */
  readonly #indexes = new Map<string, KnowledgeBaseIndex>();

  constructor(source: PassageSource, options: { maxBytes?: number } = {}) {
    this.#source = source;
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
  }

  /** How many bases are in memory. */
  get size(): number {
    return this.#indexes.size;
  }

  /** Estimated memory. */
  get bytes(): number {
    let bytes = 0;
    for (const index of this.#indexes.values()) bytes += index.bytes;
    return bytes;
  }

  /** The index of a base as it is stored at this moment; undefined where there is no such base. */
  async findCurrent(of: KnowledgeBaseName): Promise<KnowledgeBaseIndex | undefined> {
    const name = JSON.stringify([of.tenant, of.base]);
    const state = await this.#source.readState(of);
    if (state === undefined) {
      this.#indexes.delete(name);
      return undefined;
    }
    const index = this.#indexes.get(name) ?? new KnowledgeBaseIndex(of, this.#source);
    this.#indexes.delete(name);
    this.#indexes.set(name, index);
    try {
      await index.syncTo(state.version);
    } catch (error) {
      // What has been done of it is of no version: the next search begins anew.
      if (this.#indexes.get(name) === index) this.#indexes.delete(name);
      throw error;
    }
    this.#evict(index);
    return index;
  }

  /** Lets go of others until the rest fits; one that is larger by itself stays while it is used. */
  #evict(used: KnowledgeBaseIndex): void {
    let bytes = this.bytes;
    for (const [name, index] of this.#indexes) {
      if (bytes <= this.#maxBytes) return;
      if (index === used) continue;
      this.#indexes.delete(name);
      bytes -= index.bytes;
    }
  }
}
