import type { Coverage } from "../../schemas/coverage.ts";
import type { Hit } from "./bm25_index.ts";
import { coverageOf } from "./covered_share.ts";
import type { KnowledgeBaseIndex } from "./knowledge_base_index.ts";
import { KnowledgeIndexCache } from "./knowledge_index_cache.ts";
import type { EmbeddingCaller } from "./metered_embedder.ts";
import type { KnowledgeBaseName, PassageSource } from "./passage_source.ts";
import type { SemanticSearch } from "./semantic_search.ts";

export interface FoundPassage {
  documentId: string;
  title: string;
  /** Of a web page. */
  url?: string;
  headingPath: string[];
  position: number;
  text: string;
  /** Comparable within one result only; higher is better. */
  score: number;
  /** Positions of the query's words in `text`, if requested: `[start, end]` in UTF-16 units. */
  matches?: [number, number][];
}

interface KnowledgeQuery {
  query: string;
  limit: number;
  /** The agent that searches, if any. */
  caller?: EmbeddingCaller;
  /** Adds `matches`, which takes longer than the search. */
  explain?: boolean;
  /** Called with how much of the query the best passages say. */
  onCoverage?: ((coverage: Coverage) => void) | undefined;
  signal?: AbortSignal;
}

/** The first passages, in which an answer is looked for. */
const JUDGED_PASSAGES = 5;
const FUSION_DEPTH = 50;
/** As in the paper: the first rank weighs little more than the next. */
const RANK_OFFSET = 60;

/** Searches knowledge bases as they are stored at the moment of the search. */
export class KnowledgeSearch {
  readonly #indexes: KnowledgeIndexCache;
  readonly #semantic: SemanticSearch | undefined;

  /** Full-text search, combined with semantic search if that is available. */
  constructor(
    source: PassageSource,
    options: { maxBytes?: number; semantic?: SemanticSearch | undefined } = {},
  ) {
    this.#indexes = new KnowledgeIndexCache(source, options);
    this.#semantic = options.semantic;
  }

  /** Estimated memory of all indexes. */
  get bytes(): number {
    return this.#indexes.bytes;
  }

  /** The best passages, best first; `undefined` if there is no such base. */
  async search(
    base: KnowledgeBaseName,
    query: KnowledgeQuery,
  ): Promise<FoundPassage[] | undefined> {
    const index = await this.#indexes.findCurrent(base);
    if (index === undefined || this.#semantic === undefined || index.passages.size === 0) {
      return index && toFoundPassages(index, query, index.passages.search(query.query, query));
    }
    const [vector] = await Promise.all([
      this.#semantic.embedQuery(base, query),
      this.#semantic.loadVectors(base, index),
    ]);
    // The index may have changed meanwhile. The rest is synchronous.
    const current = await this.#indexes.findCurrent(base);
    return current && toFoundPassages(current, query, this.#rank(current, query, vector));
  }

  /** Starts embedding new documents of a base before its next search. */
  async prepare(base: KnowledgeBaseName): Promise<void> {
    if (this.#semantic === undefined) return;
    const index = await this.#indexes.findCurrent(base);
    if (index !== undefined) await this.#semantic.loadVectors(base, index);
  }

  /** Resolves when no documents are being embedded. */
  async whenIdle(): Promise<void> {
    await this.#semantic?.whenIdle();
  }

  async close(): Promise<void> {
    await this.#semantic?.close();
  }

  #rank(
    index: KnowledgeBaseIndex,
    { query, limit }: KnowledgeQuery,
    vector: Float32Array | undefined,
  ): Hit[] {
    if (vector === undefined) return index.passages.search(query, { limit });
    const depth = { limit: Math.max(FUSION_DEPTH, limit) };
    const byWords = index.passages.search(query, depth).map(({ ordinal }) => ordinal);
    const byMeaning = this.#semantic!.rank(index, vector, depth);
    return fuseRanks([byWords, byMeaning], { limit })
      .map(({ item, score }) => ({ ordinal: item, score }));
  }
}

/** Reciprocal rank fusion. Source: Cormack, Clarke and Büttcher, SIGIR 2009. */
export function fuseRanks<T>(
  rankings: readonly (readonly T[])[],
  { limit }: { limit: number },
): { item: T; score: number }[] {
  const scores = new Map<T, number>();
  for (const ranking of rankings) {
    for (const [rank, item] of ranking.entries()) {
      scores.set(item, (scores.get(item) ?? 0) + 1 / (RANK_OFFSET + rank + 1));
    }
  }
  return [...scores]
    .map(([item, score]) => ({ item, score }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

function toFoundPassages(
  { passages }: KnowledgeBaseIndex,
  { query, explain, onCoverage }: KnowledgeQuery,
  hits: readonly Hit[],
): FoundPassage[] {
  const best = hits.slice(0, JUDGED_PASSAGES).map(({ ordinal }) => ordinal);
  onCoverage?.(coverageOf(passages.coveredShare(query, best)));
  return hits.map(({ ordinal, score }) => {
    const { documentId, title, url, headingPath, position, text } = passages.passage(ordinal);
    const found = {
      ...{ documentId, title, ...url !== undefined && { url }, headingPath, position, text },
      score: roundScore(score),
    };
    return explain ? { ...found, matches: passages.findMatches(ordinal, query) } : found;
  });
}

/** To six decimals, which suffice to compare passages. */
function roundScore(score: number): number {
  return Math.max(0.000_001, Math.round(score * 1_000_000) / 1_000_000);
}
