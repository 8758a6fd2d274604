import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { utf8Length } from "../../platform/utf8.ts";
import type { DocumentPassage } from "../passage.ts";
import type { MeteredEmbedder } from "./metered_embedder.ts";
import type { IndexedRevision, KnowledgeBaseName } from "./passage_source.ts";
import { VectorMatrix } from "./vector_matrix.ts";
import type { VectorsKey, VectorStore } from "./vector_store.ts";

/** Providers accept 100 texts and more per call; some also limit the bytes. */
const MAX_TEXTS_PER_CALL = 64;
const MAX_BYTES_PER_CALL = 100_000;
/** After a failure, its base is skipped for this long. */
const BACKOFF_MS = 60_000;

export interface UnembeddedDocument {
  id: string;
  revision: IndexedRevision;
  passages: readonly DocumentPassage[];
}

interface EmbeddingIndexerDeps {
  embedder: Pick<MeteredEmbedder, "embed" | "model">;
  vectors: Pick<VectorStore, "claim" | "release" | "read" | "write">;
  runtime: Pick<Runtime, "now">;
  log: Logger;
}

type OnEmbedded = (id: string, result: { revision: string; vectors: VectorMatrix }) => void;

/** Embeds the passages of documents in the background, one document at a time. */
export class EmbeddingIndexer {
  readonly #deps: EmbeddingIndexerDeps;
  readonly #closing = new AbortController();
  readonly #queues = new Map<string, UnembeddedDocument[]>();
  /** By base: when to try again after a failure. */
  readonly #backoffs = new Map<string, number>();
  #work: Promise<void> = Promise.resolve();

  constructor(deps: EmbeddingIndexerDeps) {
    this.#deps = deps;
  }

  /** Ignored for a base that has just failed. */
  enqueue(base: KnowledgeBaseName, { documents, onEmbedded }: {
    documents: readonly UnembeddedDocument[];
    onEmbedded: OnEmbedded;
  }): void {
    const name = JSON.stringify(base);
    const now = this.#deps.runtime.now();
    if (documents.length === 0 || (this.#backoffs.get(name) ?? 0) > now) return;
    this.#backoffs.delete(name);
    const waiting = this.#queues.get(name);
    if (waiting !== undefined) {
      const known = new Set(waiting.map(({ revision }) => revision.id));
      waiting.push(...documents.filter(({ revision }) => !known.has(revision.id)));
      return;
    }
    const queue = [...documents];
    this.#queues.set(name, queue);
    this.#work = this.#work.then(() => this.#embedAll(base, queue, onEmbedded))
      .catch((error) => this.#backOff(base, error))
      .finally(() => this.#queues.delete(name));
  }

  async whenIdle(): Promise<void> {
    await this.#work;
  }

  /** Aborts; the vectors of an incomplete document are lost. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the process ends"));
    await this.#work;
  }

  async #embedAll(
    base: KnowledgeBaseName,
    queue: UnembeddedDocument[],
    onEmbedded: OnEmbedded,
  ): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const vectors = await this.#embedDocument(base, next);
      if (vectors !== undefined) onEmbedded(next.id, { revision: next.revision.id, vectors });
    }
  }

  #backOff(base: KnowledgeBaseName, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const { runtime, log, embedder } = this.#deps;
    this.#backoffs.set(JSON.stringify(base), runtime.now() + BACKOFF_MS);
    const facts = { tenant: base.tenant, knowledgeBaseId: base.base, model: embedder.model, error };
    log.warn("could not embed passages; only full-text search finds them", facts);
  }

  /** `undefined` if another process is doing it, or if the document has changed. */
  async #embedDocument(
    base: KnowledgeBaseName,
    { id, revision, passages }: UnembeddedDocument,
  ): Promise<VectorMatrix | undefined> {
    const { embedder, vectors } = this.#deps;
    const key: VectorsKey = { document: { ...base, id }, revision, model: embedder.model };
    this.#closing.signal.throwIfAborted();
    if (!await vectors.claim(key)) return undefined;
    try {
      // The previous owner of the claim may have just finished.
      const stored = await vectors.read(key);
      if (stored !== undefined) return stored;
      const embedded: number[][] = [];
      for (const texts of batches(passages.map(textToEmbed))) {
        const { signal } = this.#closing;
        const { tenant } = base;
        embedded.push(...await embedder.embed(texts, { tenant, purpose: "passage", signal }));
      }
      if (embedded.some(({ length }) => length !== embedded[0]!.length)) {
        throw new TypeError("an embedding model returned vectors of several lengths");
      }
      const matrix = VectorMatrix.fromVectors(embedded);
      await vectors.write(key, matrix);
      return matrix;
    } finally {
      await vectors.release(key);
    }
  }
}

/** Includes the title and the headings, because they say what a passage is about. */
function textToEmbed({ title, headingPath, text }: DocumentPassage): string {
  return [title, ...headingPath].join(" › ") + "\n" + text;
}

function* batches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = utf8Length(text);
    const isFull = batch.length === MAX_TEXTS_PER_CALL || bytes + size > MAX_BYTES_PER_CALL;
    if (batch.length > 0 && isFull) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(text);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
