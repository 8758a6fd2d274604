import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { DocumentPassage } from "../passage.ts";
import { utf8Length } from "../../platform/utf8.ts";
import type { IndexedRevision, KnowledgeBaseName } from "./passage_source.ts";
import type { MeteredEmbedder } from "./metered_embedder.ts";
import type { VectorsKey, VectorStore } from "./vector_store.ts";
import { VectorMatrix } from "./vector_matrix.ts";

/** One call embeds no more: vendors take 100 texts and more, and some no more than so many bytes. */
const MAX_TEXTS_PER_CALL = 64;
const MAX_BYTES_PER_CALL = 100_000;
/** A base whose vectors could not be made is left alone for so long. */
const BACKOFF_MS = 60_000;

/** A document whose passages have no vectors yet. */
export interface UnembeddedDocument {
  id: string;
  revision: IndexedRevision;
  chunks: readonly DocumentPassage[];
}

interface EmbeddingIndexerDeps {
  embedder: Pick<MeteredEmbedder, "embed" | "model">;
  vectors: Pick<VectorStore, "claim" | "release" | "read" | "write">;
  runtime: Pick<Runtime, "now">;
  log: Logger;
}

/** Makes vectors of passages, one document after the other, beside whatever else goes on. */
export class EmbeddingIndexer {
  readonly #deps: EmbeddingIndexerDeps;
  readonly #closing = new AbortController();
  /** By base: the documents whose turn is still to come. */
  readonly #queues = new Map<string, UnembeddedDocument[]>();
  /** By base: until when it is left alone. */
  readonly #backoffs = new Map<string, number>();
  #work: Promise<void> = Promise.resolve();

  constructor(parts: EmbeddingIndexerDeps) {
    this.#deps = parts;
  }

  /** Has vectors made, unless that has just failed for the base; `made` is told of each document's. */
  enqueue(
    base: KnowledgeBaseName,
    { documents, made }: {
      documents: readonly UnembeddedDocument[];
      made: (id: string, of: { revision: string; vectors: VectorMatrix }) => void;
    },
  ): void {
    const name = JSON.stringify(base);
    if (documents.length === 0 || (this.#backoffs.get(name) ?? 0) > this.#deps.runtime.now()) {
      return;
    }
    this.#backoffs.delete(name);
    const waiting = this.#queues.get(name);
    if (waiting !== undefined) {
      const known = new Set(waiting.map(({ revision }) => revision.id));
      waiting.push(...documents.filter(({ revision }) => !known.has(revision.id)));
      return;
    }
    const queue = [...documents];
    this.#queues.set(name, queue);
    this.#work = this.#work.then(() => this.#embedAll(base, { queue, made }))
      .catch((error) => this.#backOff(base, error))
      .finally(() => this.#queues.delete(name));
  }

  /** Resolves when nothing is being made. */
  async whenIdle(): Promise<void> {
    await this.#work;
  }

  /** Ends what is going on: what has been paid for and is not whole is lost. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the process ends"));
    await this.#work;
  }

  async #embedAll(
    base: KnowledgeBaseName,
    { queue, made }: {
      queue: UnembeddedDocument[];
      made: Parameters<EmbeddingIndexer["enqueue"]>[1]["made"];
    },
  ): Promise<void> {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const vectors = await this.#embedDocument(base, one);
      if (vectors !== undefined) made(one.id, { revision: one.revision.id, vectors });
    }
  }

  #backOff(base: KnowledgeBaseName, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const { runtime, log, embedder } = this.#deps;
    this.#backoffs.set(JSON.stringify(base), runtime.now() + BACKOFF_MS);
    const facts = { tenant: base.tenant, knowledgeBaseId: base.base, model: embedder.model, error };
    log.warn("passages could not be embedded; they are found by words", facts);
  }

  /** Nothing when somebody else is at it, or the document has changed. */
  async #embedDocument(
    base: KnowledgeBaseName,
    document: UnembeddedDocument,
  ): Promise<VectorMatrix | undefined> {
    const { embedder, vectors } = this.#deps;
    const { id, revision, chunks } = document;
    const name: VectorsKey = { document: { ...base, id }, revision, model: embedder.model };
    this.#closing.signal.throwIfAborted();
    if (!await vectors.claim(name)) return undefined;
    try {
      // Whoever had it before may have just been done with it.
      const stored = await vectors.read(name);
      if (stored !== undefined) return stored;
      const made: number[][] = [];
      for (const texts of batches(chunks.map(textToEmbed))) {
        const { signal } = this.#closing;
        const { tenant } = base;
        made.push(...await embedder.embed(texts, { tenant, purpose: "passage", signal }));
      }
      if (made.some(({ length }) => length !== made[0]!.length)) {
        throw new TypeError("a model made vectors of several lengths");
      }
      const matrix = VectorMatrix.fromVectors(made);
      await vectors.write(name, matrix);
      return matrix;
    } finally {
      await vectors.release(name);
    }
  }
}

/** A passage is about what its document and its headings are about. */
function textToEmbed({ title, headingPath, text }: DocumentPassage): string {
  return [title, ...headingPath].join(" › ") + "\n" + text;
}

function* batches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = utf8Length(text);
    if (
      batch.length === MAX_TEXTS_PER_CALL || (batch.length > 0 && bytes + size > MAX_BYTES_PER_CALL)
    ) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(text);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
