import { z } from "zod";
import { indexedDocumentSchema } from "../../store/knowledge/document_record.ts";
import { type DocumentName, keys } from "../../store/keys/keys.ts";
import { readChunks } from "../../store/values/chunks.ts";
import { parseRecord } from "../../store/values/record.ts";
import { knowledgeLanguageSchema } from "../../schemas/knowledge.ts";
import { decodePassages, type DocumentPassage } from "../passage.ts";
import type {
  IndexedRevision,
  KnowledgeBaseName,
  KnowledgeBaseState,
  PassageSource,
} from "./passage_source.ts";

/** A language that only a later version of the service knows counts as none. */
const baseLanguageSchema = z.object({
  language: knowledgeLanguageSchema.optional().catch(undefined),
});

/** What one batch of the list is. */
const LIST_BATCH = 500;

/** The passages as they are stored. */
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
      const { title, revision } = parseRecord(indexedDocumentSchema, entry)!;
      revisions.set(String(entry.key.at(-1)), { ...revision, title });
    }
    return revisions;
  }

  async readPassages(
    of: DocumentName,
    revision: IndexedRevision,
  ): Promise<DocumentPassage[] | undefined> {
    const { id, parts, title } = revision;
    const wanted = Array.from({ length: parts }, (_, n) => keys.documentPassageChunk(of, id, n));
    const found = await readChunks(this.#kv, wanted);
    return found?.flatMap(decodePassages)
      .map((passage, position) => ({ ...passage, documentId: of.id, position, title }));
  }
}
