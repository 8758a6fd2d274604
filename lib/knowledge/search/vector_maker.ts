import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Chunk } from "../chunk.ts";
import { utf8Length } from "../../platform/utf8.ts";
import type { BaseName, FoundRevision } from "./chunk_source.ts";
import type { PricedEmbedder } from "./priced_embedder.ts";
import type { StoredVectors, VectorsName } from "./stored_vectors.ts";
import { VectorMatrix } from "./vector_matrix.ts";

/** One call embeds no more: vendors take 100 texts and more, and some no more than so many bytes. */
const TEXTS_A_CALL = 64;
const BYTES_A_CALL = 100_000;
/** A base whose vectors could not be made is left alone for so long. */
const REST_MS = 60_000;

/** A document whose passages have no vectors yet. */
export interface Unembedded {
  id: string;
  revision: FoundRevision;
  chunks: readonly Chunk[];
}

interface Parts {
  embedder: Pick<PricedEmbedder, "embed" | "model">;
  vectors: Pick<StoredVectors, "claim" | "release" | "read" | "write">;
  runtime: Pick<Runtime, "now">;
  log: Logger;
}

/** Makes vectors of passages, one document after the other, beside whatever else goes on. */
export class VectorMaker {
  readonly #parts: Parts;
  readonly #closing = new AbortController();
  /** By base: the documents whose turn is still to come. */
  readonly #waiting = new Map<string, Unembedded[]>();
  /** By base: until when it is left alone. */
  readonly #resting = new Map<string, number>();
  #work: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Has vectors made, unless that has just failed for the base; `made` is told of each document's. */
  begin(
    base: BaseName,
    { documents, made }: {
      documents: readonly Unembedded[];
      made: (id: string, of: { revision: string; vectors: VectorMatrix }) => void;
    },
  ): void {
    const name = JSON.stringify(base);
    if (documents.length === 0 || (this.#resting.get(name) ?? 0) > this.#parts.runtime.now()) {
      return;
    }
    this.#resting.delete(name);
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) {
      const known = new Set(waiting.map(({ revision }) => revision.id));
      waiting.push(...documents.filter(({ revision }) => !known.has(revision.id)));
      return;
    }
    const queue = [...documents];
    this.#waiting.set(name, queue);
    this.#work = this.#work.then(() => this.#makeAll(base, { queue, made }))
      .catch((error) => this.#rest(base, error))
      .finally(() => this.#waiting.delete(name));
  }

  /** Resolves when nothing is being made. */
  async idle(): Promise<void> {
    await this.#work;
  }

  /** Ends what is going on: what has been paid for and is not whole is lost. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the process ends"));
    await this.#work;
  }

  async #makeAll(
    base: BaseName,
    { queue, made }: { queue: Unembedded[]; made: Parameters<VectorMaker["begin"]>[1]["made"] },
  ): Promise<void> {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const vectors = await this.#make(base, one);
      if (vectors !== undefined) made(one.id, { revision: one.revision.id, vectors });
    }
  }

  #rest(base: BaseName, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const { runtime, log, embedder } = this.#parts;
    this.#resting.set(JSON.stringify(base), runtime.now() + REST_MS);
    const facts = { tenant: base.tenant, knowledgeBaseId: base.base, model: embedder.model, error };
    log.warn("passages could not be embedded; they are found by words", facts);
  }

  /** Nothing when somebody else is at it, or the document has changed. */
  async #make(base: BaseName, document: Unembedded): Promise<VectorMatrix | undefined> {
    const { embedder, vectors } = this.#parts;
    const { id, revision, chunks } = document;
    const name: VectorsName = { of: { ...base, id }, revision, model: embedder.model };
    this.#closing.signal.throwIfAborted();
    if (!await vectors.claim(name)) return undefined;
    try {
      // Whoever had it before may have just been done with it.
      const stored = await vectors.read(name);
      if (stored !== undefined) return stored;
      const made: number[][] = [];
      for (const texts of batches(chunks.map(embeddedText))) {
        const { signal } = this.#closing;
        const { tenant } = base;
        made.push(...await embedder.embed(texts, { tenant, purpose: "passage", signal }));
      }
      if (made.some(({ length }) => length !== made[0]!.length)) {
        throw new TypeError("a model made vectors of several lengths");
      }
      const matrix = VectorMatrix.of(made);
      await vectors.write(name, matrix);
      return matrix;
    } finally {
      await vectors.release(name);
    }
  }
}

/** A passage is about what its document and its headings are about. */
function embeddedText({ title, headingPath, text }: Chunk): string {
  return [title, ...headingPath].join(" › ") + "\n" + text;
}

function* batches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = utf8Length(text);
    if (batch.length === TEXTS_A_CALL || (batch.length > 0 && bytes + size > BYTES_A_CALL)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(text);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
