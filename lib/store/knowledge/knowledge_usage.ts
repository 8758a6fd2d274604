import { type DocumentRecord, documentRecordSchema } from "./document_record.ts";
import { type DocumentName, keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { type QuotaUsage, StorageUsage } from "../tenants/storage_usage.ts";

export type KnowledgeQuota = "knowledgeBases" | "knowledgeBytes";

interface StoredDocument {
  of: DocumentName;
  record: DocumentRecord;
}

/** What a tenant's knowledge takes: its bases, and their documents as sent with the text read from them. */
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

/** What the documents of one base take. */
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

/** What a document takes, as it was sent and as it was read. */
export async function readDocumentBytes(kv: Deno.Kv, document: StoredDocument): Promise<number> {
  return document.record.bytes + await readTextBytes(kv, document);
}

/** What the text that was read from a document takes. */
export async function readTextBytes(kv: Deno.Kv, { of, record }: StoredDocument): Promise<number> {
  const { revision } = record;
  if (revision === undefined || revision.bytes !== undefined) return revision?.bytes ?? 0;
  // Read before bytes were counted.
  const wanted = Array.from(
    { length: revision.parts },
    (_, n) => keys.documentPassageChunk(of, revision.id, n),
  );
  let bytes = 0;
  for (const key of wanted) bytes += (await kv.get<Uint8Array>(key)).value?.length ?? 0;
  return bytes;
}
