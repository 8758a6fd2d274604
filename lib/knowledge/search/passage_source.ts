import { z } from "zod";
import { knowledgeLanguageSchema } from "../../schemas/knowledge.ts";
import type { KnowledgeLanguage } from "../../schemas/knowledge_languages.ts";
import { type DocumentName, keys } from "../../store/keys/keys.ts";
import { indexedDocumentSchema, type Revision } from "../../store/knowledge/document_record.ts";
import { readChunks } from "../../store/values/chunks.ts";
import { parseRecord } from "../../store/values/record.ts";
import { decodePassages, type DocumentPassage, type Passage } from "../passage.ts";

export type KnowledgeBaseName = { tenant: string; base: string };

/** The searchable revision of a document. */
export interface IndexedRevision extends Revision {
  title: string;
  url?: string | undefined;
}

export interface KnowledgeBaseState {
  /** Changes with the base and with its searchable documents. */
  version: string;
  language?: KnowledgeLanguage | undefined;
}

/** What an index is built from; every read is strongly consistent. */
export interface PassageSource {
  /** `undefined` if there is no such base. */
  readState(of: KnowledgeBaseName): Promise<KnowledgeBaseState | undefined>;
  readRevisions(of: KnowledgeBaseName): Promise<ReadonlyMap<string, IndexedRevision>>;
  /** In document order; `undefined` if they have been deleted. */
  readPassages(
    of: DocumentName,
    revision: IndexedRevision,
  ): Promise<readonly DocumentPassage[] | undefined>;
}

/** Ignores languages that only a later version knows. */
const baseLanguageSchema = z.object({
  language: knowledgeLanguageSchema.optional().catch(undefined),
});

/** A passage with its 0-based position in its document. */
export type StoredPassage = Passage & { position: number };

const LIST_BATCH = 500;

export class KvPassageSource implements PassageSource {
  readonly #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  async readState({ tenant, base }: KnowledgeBaseName): Promise<KnowledgeBaseState | undefined> {
    const { value, versionstamp } = await this.#kv.get(keys.knowledgeBase(tenant, base));
    return versionstamp === null
      ? undefined
      : { version: versionstamp, language: baseLanguageSchema.parse(value).language };
  }

  async readRevisions({ tenant, base }: KnowledgeBaseName): Promise<Map<string, IndexedRevision>> {
    const revisions = new Map<string, IndexedRevision>();
    const selector = { prefix: keys.indexedDocuments(tenant, base) };
    for await (const entry of this.#kv.list(selector, { batchSize: LIST_BATCH })) {
      const { title, url, revision } = parseRecord(indexedDocumentSchema, entry)!;
      revisions.set(String(entry.key.at(-1)), { ...revision, title, url });
    }
    return revisions;
  }

  /**
   * The passages of a document's searchable revision from a position on, and whether more follow; none
   * before it has been processed. Reads only as many chunks as it takes to get there.
   */
  async readSlice(
    of: DocumentName,
    { from, limit }: { from: number; limit: number },
  ): Promise<{ passages: StoredPassage[]; more: boolean }> {
    const entry = await this.#kv.get(keys.indexedDocument(of));
    const { revision } = parseRecord(indexedDocumentSchema, entry) ?? {};
    const passages: StoredPassage[] = [];
    let position = 0;
    for (let n = 0; n < (revision?.parts ?? 0) && passages.length <= limit; n++) {
      const chunks = await readChunks(this.#kv, [keys.documentPassageChunk(of, revision!.id, n)]);
      for (const passage of chunks?.flatMap(decodePassages) ?? []) {
        if (position >= from && passages.length <= limit) passages.push({ ...passage, position });
        position++;
      }
    }
    return { passages: passages.slice(0, limit), more: passages.length > limit };
  }

  async readPassages(
    of: DocumentName,
    { id, parts, title, url }: IndexedRevision,
  ): Promise<DocumentPassage[] | undefined> {
    const wanted = Array.from({ length: parts }, (_, n) => keys.documentPassageChunk(of, id, n));
    const found = await readChunks(this.#kv, wanted);
    return found?.flatMap(decodePassages)
      .map((passage, position) => ({ ...passage, documentId: of.id, position, title, url }));
  }
}
