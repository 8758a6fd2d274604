import { joinChunks, splitChunks, writeChunks } from "../../store/values/chunks.ts";
import { type DocumentName, keys } from "../../store/keys/keys.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { IndexedRevision } from "./passage_source.ts";
import { VectorMatrix } from "./vector_matrix.ts";

/** Longer than a document takes that a live process works on. */
const CLAIM_MS = 10 * 60_000;
/** Parts of one batch: each is 48 KiB. */
const READ_BATCH = 20;

/** One reading of a document, and the model that its vectors are of. */
export interface VectorsKey {
  document: DocumentName;
  revision: IndexedRevision;
  model: string;
}

/** Vectors in the store, beside the passages they are of: they go when those go. */
export class VectorStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async read({ document, revision, model }: VectorsKey): Promise<VectorMatrix | undefined> {
    const parts: Uint8Array[] = [];
    const selector = { prefix: keys.documentVectorChunks(document, revision.id, model) };
    for await (const { value } of this.#kv.list(selector, { batchSize: READ_BATCH })) {
      if (value instanceof Uint8Array) parts.push(value);
    }
    return VectorMatrix.fromBytes(joinChunks(parts), { rows: revision.chunks });
  }

  /** Takes on the making of vectors; `false` while somebody else is at it, or when the reading has gone. */
  async claim({ document, revision, model }: VectorsKey): Promise<boolean> {
    const key = keys.documentVectorClaim(document, revision.id, model);
    const [claim, indexed] = await this.#kv.getMany<[number, IndexedDocument]>(
      [key, keys.indexedDocument(document)],
    );
    const now = this.#runtime.now();
    if ((claim.value ?? 0) > now || indexed.value?.revision.id !== revision.id) return false;
    const until = now + CLAIM_MS;
    const taken = await this.#kv.atomic()
      .check(claim, indexed)
      .set(key, until, { expireIn: CLAIM_MS })
      .commit();
    return taken.ok;
  }

  async release({ document, revision, model }: VectorsKey): Promise<void> {
    await this.#kv.delete(keys.documentVectorClaim(document, revision.id, model));
  }

  /** Stores vectors, unless the reading they are of has gone. */
  async write({ document, revision, model }: VectorsKey, vectors: VectorMatrix): Promise<void> {
    const indexed = await this.#kv.get<IndexedDocument>(keys.indexedDocument(document));
    if (indexed.value?.revision.id !== revision.id) return;
    await writeChunks(this.#kv, splitChunks(vectors.toBytes()), {
      guard: indexed,
      keyOf: (n) => keys.documentVectorChunk(document, revision.id, model, n),
    });
  }
}

interface IndexedDocument {
  revision: { id: string };
}
