import { concatBytes, splitChunks, writeChunks } from "../../store/values/chunks.ts";
import { type DocumentName, keys } from "../../store/keys/keys.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { IndexedRevision } from "./passage_source.ts";
import { VectorMatrix } from "./vector_matrix.ts";

/** Longer than embedding a document takes. */
const CLAIM_MS = 10 * 60_000;
/** Chunks have 48 KiB. */
const READ_BATCH = 20;

export type VectorsKey = { document: DocumentName; revision: IndexedRevision; model: string };

/** Stores vectors next to their passages, which are deleted together. */
export class VectorStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async read({ document, revision, model }: VectorsKey): Promise<VectorMatrix | undefined> {
    const chunks: Uint8Array[] = [];
    const selector = { prefix: keys.documentVectorChunks(document, revision.id, model) };
    for await (const { value } of this.#kv.list(selector, { batchSize: READ_BATCH })) {
      if (value instanceof Uint8Array) chunks.push(value);
    }
    return VectorMatrix.fromBytes(concatBytes(chunks), { rows: revision.chunks });
  }

  /** Claims the embedding of a revision; `false` if another process has it, or the revision is gone. */
  async claim({ document, revision, model }: VectorsKey): Promise<boolean> {
    const key = keys.documentVectorClaim(document, revision.id, model);
    const [claim, indexed] = await this.#kv.getMany<[number, IndexedDocument]>(
      [key, keys.indexedDocument(document)],
    );
    const now = this.#runtime.now();
    if ((claim.value ?? 0) > now || indexed.value?.revision.id !== revision.id) return false;
    const until = now + CLAIM_MS;
    const result = await this.#kv.atomic()
      .check(claim, indexed)
      .set(key, until, { expireIn: CLAIM_MS })
      .commit();
    return result.ok;
  }

  async release({ document, revision, model }: VectorsKey): Promise<void> {
    await this.#kv.delete(keys.documentVectorClaim(document, revision.id, model));
  }

  /** Does nothing if the revision is gone. */
  async write({ document, revision, model }: VectorsKey, vectors: VectorMatrix): Promise<void> {
    const indexed = await this.#kv.get<IndexedDocument>(keys.indexedDocument(document));
    if (indexed.value?.revision.id !== revision.id) return;
    await writeChunks(this.#kv, splitChunks(vectors.toBytes()), {
      guard: indexed,
      keyOf: (n) => keys.documentVectorChunk(document, revision.id, model, n),
    });
  }
}

type IndexedDocument = { revision: { id: string } };
