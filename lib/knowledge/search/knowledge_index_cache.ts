import { loadModule } from "../../platform/load_module.ts";
import type { KnowledgeBaseIndex } from "./knowledge_base_index.ts";
import type { KnowledgeBaseName, PassageSource } from "./passage_source.ts";

const MAX_BYTES = 192 * 1_048_576;

/** The indexes of this process. The least recently used ones are evicted. */
export class KnowledgeIndexCache {
  readonly #source: PassageSource;
  readonly #maxBytes: number;
  /** The most recently used one is last. */
  readonly #indexes = new Map<string, KnowledgeBaseIndex>();

  constructor(source: PassageSource, options: { maxBytes?: number } = {}) {
    this.#source = source;
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
  }

  get size(): number {
    return this.#indexes.size;
  }

  get bytes(): number {
    let bytes = 0;
    for (const index of this.#indexes.values()) bytes += index.bytes;
    return bytes;
  }

  /** Returns the index in sync with the store; `undefined` if there is no such base. */
  async findCurrent(of: KnowledgeBaseName): Promise<KnowledgeBaseIndex | undefined> {
    const name = JSON.stringify([of.tenant, of.base]);
    const state = await this.#source.readState(of);
    if (state === undefined) {
      this.#indexes.delete(name);
      return undefined;
    }
    const { KnowledgeBaseIndex } = await loadIndexModule();
    const index = this.#indexes.get(name) ?? new KnowledgeBaseIndex(of, this.#source);
    this.#indexes.delete(name);
    this.#indexes.set(name, index);
    try {
      await index.syncTo(state.version);
    } catch (error) {
      // It is half updated: rebuild it for the next search.
      if (this.#indexes.get(name) === index) this.#indexes.delete(name);
      throw error;
    }
    this.#evict(index);
    return index;
  }

  /** Never evicts the index that is in use, even if it is too large by itself. */
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

/** The stemmers and stop words of 25 languages, which take a tenth of the start (measured). */
function loadIndexModule(): Promise<typeof import("./knowledge_base_index.ts")> {
  return loadModule("knowledge search", () => import("./knowledge_base_index.ts"));
}
