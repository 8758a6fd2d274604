import type { BaseIndex } from "./base_index.ts";
import { BaseIndexes } from "./base_indexes.ts";
import type { Hit } from "./bm25_index.ts";
import type { BaseName, ChunkSource } from "./chunk_source.ts";
import type { Searcher } from "./priced_embedder.ts";
import { fuseRanks } from "./rank_fusion.ts";
import type { SemanticSearch } from "./semantic_search.ts";

/** A passage that fits a query. */
export interface FoundPassage {
  documentId: string;
  /** Of the document. */
  title: string;
  headingPath: string[];
  position: number;
  text: string;
  /** Higher is better; only the order means anything. */
  score: number;
  /** Where words of the query stand in `text`, if that was asked for: `[start, end]`, in UTF-16 units. */
  matches?: [number, number][];
}

/** What is searched for. */
export interface KnowledgeQuery {
  query: string;
  /** Passages at most. */
  limit: number;
  /** On whose behalf, where it is an agent's. */
  by?: Searcher;
  /** Whether to tell why each was found; it takes longer than finding them. */
  explain?: boolean;
  signal?: AbortSignal;
}

/** Passages of each ranking that are fused. */
const FUSED = 50;

/** Finds passages in knowledge bases, as they are stored at the moment of the search. */
export class KnowledgeSearch {
  readonly #indexes: BaseIndexes;
  readonly #semantic: SemanticSearch | undefined;

  /** By words, and with `semantic` by meaning as well. */
  constructor(
    source: ChunkSource,
    options: { mostBytes?: number; semantic?: SemanticSearch | undefined } = {},
  ) {
    this.#indexes = new BaseIndexes(source, options);
    this.#semantic = options.semantic;
  }

  /** Estimated memory of all that is indexed in this process. */
  get bytes(): number {
    return this.#indexes.bytes;
  }

  /** The best passages, best first; undefined where there is no such base. */
  async search(of: BaseName, asked: KnowledgeQuery): Promise<FoundPassage[] | undefined> {
    const index = await this.#indexes.current(of);
    const semantic = this.#semantic;
    if (index === undefined || semantic === undefined || index.passages.size === 0) {
      return index && tell(index, { ...asked, hits: index.passages.search(asked.query, asked) });
    }
    const [direction] = await Promise.all([
      semantic.direction(of, asked),
      semantic.prepare(of, index),
    ]);
    // The index may have changed meanwhile; from here to the end nobody else has a turn.
    const current = await this.#indexes.current(of);
    return current &&
      tell(current, { ...asked, hits: this.#hits(current, { ...asked, direction }) });
  }

  /** Has the meaning of what is new in a base made out, before anybody searches. */
  async prepare(of: BaseName): Promise<void> {
    if (this.#semantic === undefined) return;
    const index = await this.#indexes.current(of);
    if (index !== undefined) await this.#semantic.prepare(of, index);
  }

  /** Resolves when nothing is being made beside the searches. */
  async idle(): Promise<void> {
    await this.#semantic?.idle();
  }

  async close(): Promise<void> {
    await this.#semantic?.close();
  }

  #hits(
    index: BaseIndex,
    { query, limit, direction }: KnowledgeQuery & { direction: Float32Array | undefined },
  ): Hit[] {
    if (direction === undefined) return index.passages.search(query, { limit });
    const depth = { limit: Math.max(FUSED, limit) };
    const byWords = index.passages.search(query, depth).map(({ slot }) => slot);
    const byMeaning = this.#semantic!.rank(index, direction, depth);
    return fuseRanks([byWords, byMeaning], { limit })
      .map(({ item, score }) => ({ slot: item, score }));
  }
}

function tell(
  { passages }: BaseIndex,
  { query, explain, hits }: KnowledgeQuery & { hits: readonly Hit[] },
): FoundPassage[] {
  return hits.map(({ slot, score }) => {
    const { documentId, title, headingPath, position, text } = passages.chunk(slot);
    const passage = { documentId, title, headingPath, position, text, score: rounded(score) };
    return explain ? { ...passage, matches: passages.matches(slot, query) } : passage;
  });
}

/** Six digits tell passages apart; more are noise to whoever reads them. */
function rounded(score: number): number {
  return Math.max(0.000_001, Math.round(score * 1_000_000) / 1_000_000);
}
