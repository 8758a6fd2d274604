import type { Chunk } from "../knowledge/chunk.ts";
import { unpackPassages } from "../knowledge/pack_passages.ts";
import { indexedDocumentSchema, type Revision } from "./document_record.ts";
import { keys } from "./keys.ts";
import { knowledgeBaseRecordSchema } from "./knowledge_base_record.ts";
import { readParts } from "./parts.ts";
import { parseRecord } from "./record.ts";

/** A document that can be found, as it was at one reading: another revision is another text. */
export interface IndexedDocument {
  documentId: string;
  title: string;
  revision: Revision;
}

/** What can be found in knowledge bases, for whoever keeps an index of it. */
export class PassageStore {
  #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  /**
   * The base's version; `undefined` when the tenant has no such base. What can be found has not changed
   * while it is the same.
   */
  async version(tenant: string, base: string): Promise<number | undefined> {
    const entry = await this.#kv.get(keys.knowledgeBase(tenant, base));
    return parseRecord(knowledgeBaseRecordSchema, entry)?.version;
  }

  /**
   * The documents that can be found now: of that version, if it was read before, or of a later one. An
   * index drops the revisions that are not among them and adds those it lacks. At most 1,000 small
   * entries, about 4 ms.
   */
  async indexed(tenant: string, base: string): Promise<IndexedDocument[]> {
    const prefix = keys.indexedDocuments(tenant, base);
    const found: IndexedDocument[] = [];
    for await (const entry of this.#kv.list({ prefix }, { batchSize: 500 })) {
      const { title, revision } = parseRecord(indexedDocumentSchema, entry)!;
      found.push({ documentId: String(entry.key[3]), title, revision });
    }
    return found;
  }

  /**
   * The passages of one document in their order, a part of about 48 KiB at a time, so that nothing else
   * waits for all of them. Ends early when the revision has been replaced or deleted meanwhile: then the
   * base has another version.
   */
  async *passages(
    { tenant, base }: { tenant: string; base: string },
    { documentId, title, revision }: IndexedDocument,
  ): AsyncGenerator<Chunk[]> {
    const of = { tenant, base, id: documentId };
    let position = 0;
    for (let n = 0; n < revision.parts; n++) {
      const parts = await readParts(this.#kv, [keys.documentChunkPart(of, revision.id, n)]);
      if (parts === undefined) return;
      yield parts.flatMap(unpackPassages).map((passage) => ({
        documentId,
        title,
        position: position++,
        ...passage,
      }));
    }
  }
}
