import type { SearchIndexer } from "../chat/log/search_indexer.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { MatchCursor } from "../store/search/search_index.ts";
import {
  type FoundRunPage,
  searchTranscripts,
  type TranscriptSearchDeps,
} from "../store/search/search_transcripts.ts";
import type { InboxSearch } from "./conversation_inbox.ts";

export interface WordSearchDeps extends TranscriptSearchDeps {
  runtime: Pick<Runtime, "now">;
  indexer: Pick<SearchIndexer, "prepareSearch">;
}

/** Searches for words that were said in a tenant's conversations. */
export class WordSearch {
  readonly #kv: Deno.Kv;
  readonly #deps: WordSearchDeps;

  constructor(kv: Deno.Kv, deps: WordSearchDeps) {
    this.#kv = kv;
    this.#deps = deps;
  }

  /** The runs in which all words were said; those that ended just now are indexed first. */
  async find(
    tenant: string,
    { search: { query = "", ...search }, limit, after }: {
      search: InboxSearch;
      limit: number;
      after: MatchCursor | undefined;
    },
  ): Promise<FoundRunPage> {
    const { runtime, indexer, content, conversations } = this.#deps;
    if (after === undefined) await indexer.prepareSearch(tenant);
    const now = runtime.now();
    return await searchTranscripts(this.#kv, {
      ...{ tenant, query, search, limit, after, now, content, conversations },
    });
  }
}
