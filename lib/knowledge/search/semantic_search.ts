import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { BaseIndex } from "./base_index.ts";
import type { BaseName, FoundRevision } from "./chunk_source.ts";
import type { PricedEmbedder, Searcher } from "./priced_embedder.ts";
import type { StoredVectors } from "./stored_vectors.ts";
import type { Unembedded, VectorMaker } from "./vector_maker.ts";

/** A search waits no longer for the vector of its query. */
const QUERY_MS = 3_000;
/** What another process may be making is looked for this often. */
const LOOK_MS = 15_000;
/** Documents whose vectors are read at the same time. */
const READ_AT_ONCE = 16;

interface Parts {
  embedder: Pick<PricedEmbedder, "embed" | "model">;
  vectors: Pick<StoredVectors, "read">;
  maker: Pick<VectorMaker, "begin" | "idle" | "close">;
  runtime: Runtime;
  log: Logger;
}

/** Finds passages by their meaning, as far as there are vectors of them. */
export class SemanticSearch {
  readonly #parts: Parts;
  /** By index and document: the revision that was looked for in vain, and when it is looked for again. */
  readonly #missing = new WeakMap<BaseIndex, Map<string, { revision: string; again: number }>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Which way a query points; undefined, with a line in the log, when that cannot be had. */
  async direction(
    { tenant }: BaseName,
    { query, by, signal }: { query: string; by?: Searcher | undefined; signal?: AbortSignal },
  ): Promise<Float32Array | undefined> {
    const { embedder, runtime, log } = this.#parts;
    const late = new AbortController();
    const over = new AbortController();
    runtime.sleep(QUERY_MS, over.signal)
      .then(() => late.abort(new Error("embedding a query took too long")), () => {});
    try {
      const [vector] = await embedder.embed([query], {
        tenant,
        by,
        purpose: "query",
        signal: AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]),
        deadline: runtime.now() + QUERY_MS,
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
  async prepare(of: BaseName, index: BaseIndex): Promise<void> {
    const wanted = this.#wanted(index);
    const unembedded: Unembedded[] = [];
    for (let at = 0; at < wanted.length; at += READ_AT_ONCE) {
      const some = wanted.slice(at, at + READ_AT_ONCE);
      const missing = await Promise.all(some.map((one) => this.#load(of, { index, one })));
      unembedded.push(...missing.filter((one) => one !== undefined));
    }
    this.#noteMissing(index, unembedded);
    this.#parts.maker.begin(of, {
      documents: unembedded.filter(({ chunks }) => chunks.length > 0),
      made: (id, vectors) => index.setVectors(id, vectors),
    });
  }

  /** The passages that point the same way, nearest first. */
  rank(index: BaseIndex, direction: Float32Array, { limit }: { limit: number }): number[] {
    const near: { slot: number; nearness: number }[] = [];
    for (const { start, vectors } of index.embedded()) {
      if (vectors.dimensions !== direction.length) continue;
      for (const [row, nearness] of vectors.nearness(direction).entries()) {
        near.push({ slot: start + row, nearness });
      }
    }
    near.sort((a, b) => b.nearness - a.nearness || a.slot - b.slot);
    return near.slice(0, limit).map(({ slot }) => slot);
  }

  /** Resolves when no vectors are being made. */
  idle(): Promise<void> {
    return this.#parts.maker.idle();
  }

  close(): Promise<void> {
    return this.#parts.maker.close();
  }

  /** Reads the vectors of one document into the index; answers the document when there are none. */
  async #load(
    of: BaseName,
    { index, one: [id, revision] }: { index: BaseIndex; one: [string, FoundRevision] },
  ): Promise<Unembedded | undefined> {
    const { vectors, embedder } = this.#parts;
    const name = { of: { ...of, id }, revision, model: embedder.model };
    const found = await vectors.read(name);
    if (found === undefined) return { id, revision, chunks: index.chunksOf(id) };
    index.setVectors(id, { revision: revision.id, vectors: found });
    return undefined;
  }

  #wanted(index: BaseIndex): [string, FoundRevision][] {
    const missing = this.#missing.get(index);
    const now = this.#parts.runtime.now();
    return [...index.revisions].filter(([id, { id: revision }]) => {
      if (index.hasVectors(id)) return false;
      const known = missing?.get(id);
      return known?.revision !== revision || known.again <= now;
    });
  }

  #noteMissing(index: BaseIndex, unembedded: readonly Unembedded[]): void {
    const again = this.#parts.runtime.now() + LOOK_MS;
    const missing = this.#missing.get(index) ?? new Map();
    for (const { id, revision } of unembedded) missing.set(id, { revision: revision.id, again });
    this.#missing.set(index, missing);
  }
}
