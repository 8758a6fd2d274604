import { z } from "zod";
import { knowledgeLanguageSchema } from "../../schemas/knowledge.ts";
import type { KnowledgeLanguage } from "../../schemas/knowledge_languages.ts";
import { type DocumentName, keys } from "../../store/keys/keys.ts";
import { indexedDocumentSchema, type Revision } from "../../store/knowledge/document_record.ts";
import { readChunks } from "../../store/values/chunks.ts";
import { parseRecord } from "../../store/values/record.ts";
import { decodePassages, type DocumentPassage } from "../passage.ts";

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
