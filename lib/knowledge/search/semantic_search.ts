import { LRUCache } from "lru-cache";
import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { EmbeddingIndexer, UnembeddedDocument } from "./embedding_indexer.ts";
import type { KnowledgeBaseIndex } from "./knowledge_base_index.ts";
import type { EmbeddingCaller, MeteredEmbedder } from "./metered_embedder.ts";
import type { IndexedRevision, KnowledgeBaseName } from "./passage_source.ts";
import type { VectorStore } from "./vector_store.ts";

const QUERY_TIMEOUT_MS = 3_000;
/** How soon missing vectors are read again; another process may be making them. */
const RETRY_MS = 15_000;
const READ_CONCURRENCY = 16;
/** Vectors of recent queries, some thousands of them, and for how long: they are what visitors asked. */
const MAX_QUERY_BYTES = 16 * 1_048_576;
const QUERY_TTL_MS = 3_600_000;

interface SemanticSearchDeps {
  embedder: Pick<MeteredEmbedder, "embed" | "model">;
  vectors: Pick<VectorStore, "read">;
  indexer: Pick<EmbeddingIndexer, "enqueue" | "whenIdle" | "close">;
  runtime: Runtime;
  log: Logger;
}

/** Ranks passages by the similarity of their vectors to that of the query. */
export class SemanticSearch {
  readonly #deps: SemanticSearchDeps;
  /** By tenant and text, so that a query is embedded and charged once. */
  readonly #queries: LRUCache<string, Float32Array>;
  /** By index and document: the revision without vectors, and when to look for them again. */
  readonly #missing = new WeakMap<
    KnowledgeBaseIndex,
    Map<string, { revision: string; retryAt: number }>
  >();

  constructor(deps: SemanticSearchDeps) {
    this.#deps = deps;
    this.#queries = new LRUCache({
      maxSize: MAX_QUERY_BYTES,
      sizeCalculation: ({ byteLength }, key) => byteLength + 2 * key.length,
      ttl: QUERY_TTL_MS,
      perf: deps.runtime,
    });
  }

  /** The vector of a query; `undefined` after a failure, which is logged. */
  async embedQuery({ tenant }: KnowledgeBaseName, { query, caller, signal }: {
    query: string;
    caller?: EmbeddingCaller | undefined;
    signal?: AbortSignal;
  }): Promise<Float32Array | undefined> {
    const { embedder, runtime, log } = this.#deps;
    const key = `${tenant} ${query.trim()}`;
    const known = this.#queries.get(key);
    if (known !== undefined) return known;
    const timeout = new AbortController();
    const timer = new AbortController();
    runtime.sleep(QUERY_TIMEOUT_MS, timer.signal)
      .then(() => timeout.abort(new Error("embedding a query took too long")), () => {});
    try {
      const [vector] = await embedder.embed([query], {
        tenant,
        caller,
        purpose: "query",
        signal: AbortSignal.any([timeout.signal, ...(signal === undefined ? [] : [signal])]),
        deadline: runtime.now() + QUERY_TIMEOUT_MS,
      });
      const found = Float32Array.from(vector!);
      this.#queries.set(key, found);
      return found;
    } catch (error) {
      signal?.throwIfAborted();
      const message = "could not embed a query; using full-text search only";
      log.warn(message, { tenant, model: embedder.model, error });
      return undefined;
    } finally {
      timer.abort();
    }
  }

  /** Reads the stored vectors of an index, and starts embedding documents without any. */
  async loadVectors(base: KnowledgeBaseName, index: KnowledgeBaseIndex): Promise<void> {
    const wanted = this.#withoutVectors(index);
    const unembedded: UnembeddedDocument[] = [];
    for (let at = 0; at < wanted.length; at += READ_CONCURRENCY) {
      const loads = wanted.slice(at, at + READ_CONCURRENCY)
        .map(([id, revision]) => this.#loadDocument(base, { index, id, revision }));
      unembedded.push(...(await Promise.all(loads)).filter((one) => one !== undefined));
    }
    this.#recordMissing(index, unembedded);
    this.#deps.indexer.enqueue(base, {
      documents: unembedded.filter(({ passages }) => passages.length > 0),
      onEmbedded: (id, vectors) => index.setVectors(id, vectors),
    });
  }

  /** Ordinals of the passages most similar to a vector, best first. */
  rank(index: KnowledgeBaseIndex, vector: Float32Array, { limit }: { limit: number }): number[] {
    const ranked: { ordinal: number; similarity: number }[] = [];
    for (const { start, vectors } of index.vectorRanges()) {
      if (vectors.dimensions !== vector.length) continue;
      for (const [row, similarity] of vectors.similarities(vector).entries()) {
        ranked.push({ ordinal: start + row, similarity });
      }
    }
    ranked.sort((a, b) => b.similarity - a.similarity || a.ordinal - b.ordinal);
    return ranked.slice(0, limit).map(({ ordinal }) => ordinal);
  }

  whenIdle(): Promise<void> {
    return this.#deps.indexer.whenIdle();
  }

  close(): Promise<void> {
    return this.#deps.indexer.close();
  }

  /** Reads the vectors of one document into the index; returns the document if there are none. */
  async #loadDocument(
    base: KnowledgeBaseName,
    { index, id, revision }: { index: KnowledgeBaseIndex; id: string; revision: IndexedRevision },
  ): Promise<UnembeddedDocument | undefined> {
    const { vectors, embedder } = this.#deps;
    const key = { document: { ...base, id }, revision, model: embedder.model };
    const found = await vectors.read(key);
    if (found === undefined) return { id, revision, passages: index.passagesOf(id) };
    index.setVectors(id, { revision: revision.id, vectors: found });
    return undefined;
  }

  #withoutVectors(index: KnowledgeBaseIndex): [string, IndexedRevision][] {
    const missing = this.#missing.get(index);
    const now = this.#deps.runtime.now();
    return [...index.revisions].filter(([id, { id: revision }]) => {
      if (index.hasVectors(id)) return false;
      const known = missing?.get(id);
      return known?.revision !== revision || known.retryAt <= now;
    });
  }

  #recordMissing(index: KnowledgeBaseIndex, unembedded: readonly UnembeddedDocument[]): void {
    const retryAt = this.#deps.runtime.now() + RETRY_MS;
    const missing = this.#missing.get(index) ?? new Map();
    for (const { id, revision } of unembedded) missing.set(id, { revision: revision.id, retryAt });
    this.#missing.set(index, missing);
  }
}
