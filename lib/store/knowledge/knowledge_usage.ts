import { type DocumentName, keys } from "../keys/keys.ts";
import { type QuotaUsage, StorageUsage } from "../tenants/storage_usage.ts";
import { parseRecord } from "../values/record.ts";
import { type DocumentRecord, documentRecordSchema } from "./document_record.ts";

export type KnowledgeQuota = "knowledgeBases" | "knowledgeBytes";

type StoredDocument = { of: DocumentName; record: DocumentRecord };

/** The storage used by a tenant's knowledge: its bases, the uploaded files and the parsed text. */
export function knowledgeStorageUsage(kv: Deno.Kv): StorageUsage<KnowledgeQuota> {
  const count = async (tenant: string): Promise<QuotaUsage<KnowledgeQuota>> => {
    let knowledgeBases = 0;
    let knowledgeBytes = 0;
    for await (const { key } of kv.list({ prefix: keys.knowledgeBases(tenant) })) {
      knowledgeBases++;
      knowledgeBytes += await readBaseBytes(kv, { tenant, base: String(key.at(-1)) });
    }
    return { knowledgeBases, knowledgeBytes };
  };
  return new StorageUsage(kv, { area: "knowledge", count });
}

/** Bytes used by the documents of one base. */
export async function readBaseBytes(
  kv: Deno.Kv,
  { tenant, base }: { tenant: string; base: string },
): Promise<number> {
  let bytes = 0;
  for await (const entry of kv.list({ prefix: keys.documents(tenant, base) })) {
    const record = parseRecord(documentRecordSchema, entry)!;
    bytes += await readDocumentBytes(kv, { of: { tenant, base, id: record.id }, record });
  }
  return bytes;
}

/** Bytes used by a document: the uploaded file and the parsed text. */
export async function readDocumentBytes(kv: Deno.Kv, document: StoredDocument): Promise<number> {
  return document.record.bytes + await readTextBytes(kv, document);
}

/** Bytes used by the parsed text of a document. */
export async function readTextBytes(kv: Deno.Kv, { of, record }: StoredDocument): Promise<number> {
  const { revision } = record;
  if (revision === undefined || revision.bytes !== undefined) return revision?.bytes ?? 0;
  // A revision of an early release: add up its chunks.
  let bytes = 0;
  for (let n = 0; n < revision.parts; n++) {
    const { value } = await kv.get<Uint8Array>(keys.documentPassageChunk(of, revision.id, n));
    bytes += value?.length ?? 0;
  }
  return bytes;
}
