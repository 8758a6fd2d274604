import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { KnowledgeBaseIndex } from "./knowledge_base_index.ts";
import type { IndexedRevision, KnowledgeBaseName } from "./passage_source.ts";
import type { EmbeddingCaller, MeteredEmbedder } from "./metered_embedder.ts";
import type { VectorStore } from "./vector_store.ts";
import type { EmbeddingIndexer, UnembeddedDocument } from "./embedding_indexer.ts";

/** A search waits no longer for the vector of its query. */
const QUERY_TIMEOUT_MS = 3_000;
/** What another process may be making is looked for this often. */
const RETRY_MS = 15_000;
/** Documents whose vectors are read at the same time. */
const READ_CONCURRENCY = 16;

interface SemanticSearchDeps {
  embedder: Pick<MeteredEmbedder, "embed" | "model">;
  vectors: Pick<VectorStore, "read">;
  indexer: Pick<EmbeddingIndexer, "enqueue" | "whenIdle" | "close">;
  runtime: Runtime;
  log: Logger;
}

/** Finds passages by their meaning, as far as there are vectors of them. */
export class SemanticSearch {
  readonly #deps: SemanticSearchDeps;
  /** By index and document: the revision that was looked for in vain, and when it is looked for again. */
  readonly #missing = new WeakMap<
    KnowledgeBaseIndex,
    Map<string, { revision: string; again: number }>
  >();

  constructor(parts: SemanticSearchDeps) {
    this.#deps = parts;
  }

  /** Which way a query points; undefined, with a line in the log, when that cannot be had. */
  async embedQuery(
    { tenant }: KnowledgeBaseName,
    { query, caller, signal }: {
      query: string;
      caller?: EmbeddingCaller | undefined;
      signal?: AbortSignal;
    },
  ): Promise<Float32Array | undefined> {
    const { embedder, runtime, log } = this.#deps;
    const late = new AbortController();
    const over = new AbortController();
    runtime.sleep(QUERY_TIMEOUT_MS, over.signal)
      .then(() => late.abort(new Error("embedding a query took too long")), () => {});
    try {
      const [vector] = await embedder.embed([query], {
        tenant,
        caller,
        purpose: "query",
        signal: AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]),
        deadline: runtime.now() + QUERY_TIMEOUT_MS,
      });
      return Float32Array.from(vector!);
    } catch (error) {
      signal?.throwIfAborted();
      const facts = { tenant, model: embedder.model, error };
      log.warn("a query could not be embedded; it is answered by words", facts);
      return undefined;
    } finally {
      over.abort();
    }
  }

  /** Reads the vectors there are of an index's passages, and begins to make those there are not. */
  async loadVectors(of: KnowledgeBaseName, index: KnowledgeBaseIndex): Promise<void> {
    const wanted = this.#withoutVectors(index);
    const unembedded: UnembeddedDocument[] = [];
    for (let at = 0; at < wanted.length; at += READ_CONCURRENCY) {
      const some = wanted.slice(at, at + READ_CONCURRENCY);
      const missing = await Promise.all(some.map((one) => this.#loadDocument(of, { index, one })));
      unembedded.push(...missing.filter((one) => one !== undefined));
    }
    this.#recordMissing(index, unembedded);
    this.#deps.indexer.enqueue(of, {
      documents: unembedded.filter(({ chunks }) => chunks.length > 0),
      made: (id, vectors) => index.setVectors(id, vectors),
    });
  }

  /** The passages that point the same way, nearest first. */
  rank(index: KnowledgeBaseIndex, direction: Float32Array, { limit }: { limit: number }): number[] {
    const near: { slot: number; nearness: number }[] = [];
    for (const { start, vectors } of index.vectorRanges()) {
      if (vectors.dimensions !== direction.length) continue;
      for (const [row, nearness] of vectors.similarities(direction).entries()) {
        near.push({ slot: start + row, nearness });
      }
    }
    near.sort((a, b) => b.nearness - a.nearness || a.slot - b.slot);
    return near.slice(0, limit).map(({ slot }) => slot);
  }

  /** Resolves when no vectors are being made. */
  whenIdle(): Promise<void> {
    return this.#deps.indexer.whenIdle();
  }

  close(): Promise<void> {
    return this.#deps.indexer.close();
  }

  /** Reads the vectors of one document into the index; answers the document when there are none. */
  async #loadDocument(
    of: KnowledgeBaseName,
    { index, one: [id, revision] }: { index: KnowledgeBaseIndex; one: [string, IndexedRevision] },
  ): Promise<UnembeddedDocument | undefined> {
    const { vectors, embedder } = this.#deps;
    const name = { document: { ...of, id }, revision, model: embedder.model };
    const found = await vectors.read(name);
    if (found === undefined) return { id, revision, chunks: index.passagesOf(id) };
    index.setVectors(id, { revision: revision.id, vectors: found });
    return undefined;
  }

  #withoutVectors(index: KnowledgeBaseIndex): [string, IndexedRevision][] {
    const missing = this.#missing.get(index);
    const now = this.#deps.runtime.now();
    return [...index.revisions].filter(([id, { id: revision }]) => {
      if (index.hasVectors(id)) return false;
      const known = missing?.get(id);
      return known?.revision !== revision || known.again <= now;
    });
  }

  #recordMissing(index: KnowledgeBaseIndex, unembedded: readonly UnembeddedDocument[]): void {
    const again = this.#deps.runtime.now() + RETRY_MS;
    const missing = this.#missing.get(index) ?? new Map();
    for (const { id, revision } of unembedded) missing.set(id, { revision: revision.id, again });
    this.#missing.set(index, missing);
  }
}
