import type { KnowledgeBaseIndex } from "./knowledge_base_index.ts";
import { KnowledgeIndexCache } from "./knowledge_index_cache.ts";
import type { Hit } from "./bm25_index.ts";
import type { KnowledgeBaseName, PassageSource } from "./passage_source.ts";
import type { EmbeddingCaller } from "./metered_embedder.ts";
import type { SemanticSearch } from "./semantic_search.ts";

/** As in the paper that proposed it: the first of one list weighs little more than the next. */
const K = 60;

/**
 * Several rankings as one, by reciprocal rank: what is high in any comes high, what is high in all comes
 * first, whatever their scores are made of. Source: Cormack, Clarke and Büttcher, SIGIR 2009.
 */
export function fuseRanks<T>(
  rankings: readonly (readonly T[])[],
  { limit }: { limit: number },
): { item: T; score: number }[] {
  const scores = new Map<T, number>();
  for (const ranking of rankings) {
    for (const [rank, item] of ranking.entries()) {
      scores.set(item, (scores.get(item) ?? 0) + 1 / (K + rank + 1));
    }
  }
  return [...scores]
    .map(([item, score]) => ({ item, score }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

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
  caller?: EmbeddingCaller;
  /** Whether to tell why each was found; it takes longer than finding them. */
  explain?: boolean;
  signal?: AbortSignal;
}

/** Passages of each ranking that are fused. */
const FUSION_DEPTH = 50;

/** Finds passages in knowledge bases, as they are stored at the moment of the search. */
export class KnowledgeSearch {
  readonly #indexes: KnowledgeIndexCache;
  readonly #semantic: SemanticSearch | undefined;

  /** By words, and with `semantic` by meaning as well. */
  constructor(
    source: PassageSource,
    options: { maxBytes?: number; semantic?: SemanticSearch | undefined } = {},
  ) {
    this.#indexes = new KnowledgeIndexCache(source, options);
    this.#semantic = options.semantic;
  }

  /** Estimated memory of all that is indexed in this process. */
  get bytes(): number {
    return this.#indexes.bytes;
  }

  /** The best passages, best first; undefined where there is no such base. */
  async search(of: KnowledgeBaseName, asked: KnowledgeQuery): Promise<FoundPassage[] | undefined> {
    const index = await this.#indexes.findCurrent(of);
    const semantic = this.#semantic;
    if (index === undefined || semantic === undefined || index.passages.size === 0) {
      return index &&
        toFoundPassages(index, { ...asked, hits: index.passages.search(asked.query, asked) });
    }
    const [direction] = await Promise.all([
      semantic.embedQuery(of, asked),
      semantic.loadVectors(of, index),
    ]);
    // The index may have changed meanwhile; from here to the end nobody else has a turn.
    const current = await this.#indexes.findCurrent(of);
    return current &&
      toFoundPassages(current, { ...asked, hits: this.#rank(current, { ...asked, direction }) });
  }

  /** Has the meaning of what is new in a base made out, before anybody searches. */
  async prepare(of: KnowledgeBaseName): Promise<void> {
    if (this.#semantic === undefined) return;
    const index = await this.#indexes.findCurrent(of);
    if (index !== undefined) await this.#semantic.loadVectors(of, index);
  }

  /** Resolves when nothing is being made beside the searches. */
  async whenIdle(): Promise<void> {
    await this.#semantic?.whenIdle();
  }

  async close(): Promise<void> {
    await this.#semantic?.close();
  }

  #rank(
    index: KnowledgeBaseIndex,
    { query, limit, direction }: KnowledgeQuery & { direction: Float32Array | undefined },
  ): Hit[] {
    if (direction === undefined) return index.passages.search(query, { limit });
    const depth = { limit: Math.max(FUSION_DEPTH, limit) };
    const byWords = index.passages.search(query, depth).map(({ ordinal }) => ordinal);
    const byMeaning = this.#semantic!.rank(index, direction, depth);
    return fuseRanks([byWords, byMeaning], { limit })
      .map(({ item, score }) => ({ ordinal: item, score }));
  }
}

function toFoundPassages(
  { passages }: KnowledgeBaseIndex,
  { query, explain, hits }: KnowledgeQuery & { hits: readonly Hit[] },
): FoundPassage[] {
  return hits.map(({ ordinal, score }) => {
    const { documentId, title, headingPath, position, text } = passages.chunk(ordinal);
    const passage = { documentId, title, headingPath, position, text, score: roundScore(score) };
    return explain ? { ...passage, matches: passages.findMatches(ordinal, query) } : passage;
  });
}

/** Six digits tell passages apart; more are noise to whoever reads them. */
function roundScore(score: number): number {
  return Math.max(0.000_001, Math.round(score * 1_000_000) / 1_000_000);
}
