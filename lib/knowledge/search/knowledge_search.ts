import { BaseIndexes } from "./base_indexes.ts";
import type { BaseIndex } from "./base_index.ts";
import type { BaseName, ChunkSource } from "./chunk_source.ts";

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
  /** Where words of the query stand in `text`: `[start, end]`, in UTF-16 units. */
  matches: [number, number][];
}

/** What is searched for. */
export interface KnowledgeQuery {
  query: string;
  /** Passages at most. */
  limit: number;
  /** On whose behalf, where it is an agent's. */
  by?: Searcher;
  signal?: AbortSignal;
}

/** Whose usage a search counts to. */
export interface Searcher {
  agentId: string;
  source: { kind: "key" | "session"; id: string };
}

/** Finds passages in knowledge bases, as they are stored at the moment of the search. */
export class KnowledgeSearch {
  readonly #indexes: BaseIndexes;

  constructor(source: ChunkSource, options: { mostBytes?: number } = {}) {
    this.#indexes = new BaseIndexes(source, options);
  }

  /** The best passages, best first; undefined where there is no such base. */
  async search(of: BaseName, asked: KnowledgeQuery): Promise<FoundPassage[] | undefined> {
    const index = await this.#indexes.current(of);
    return index && tell(index, asked);
  }
}

function tell({ passages }: BaseIndex, { query, limit }: KnowledgeQuery): FoundPassage[] {
  return passages.search(query, { limit }).map(({ slot, score }) => {
    const { documentId, title, headingPath, position, text } = passages.chunk(slot);
    const matches = passages.matches(slot, query);
    return { documentId, title, headingPath, position, text, score: rounded(score), matches };
  });
}

/** Four digits tell passages apart; more are noise to whoever reads them. */
function rounded(score: number): number {
  return Math.max(0.0001, Math.round(score * 10_000) / 10_000);
}
