import type { Document } from "../../schemas/knowledge.ts";
import { type DocumentName, keys } from "../keys/keys.ts";
import { chunkKeys, concatBytes, readChunks } from "../values/chunks.ts";
import { CorruptRecordError, parseRecord } from "../values/record.ts";
import { type DocumentRecord, documentRecordSchema, toDocument } from "./document_record.ts";

/** The hashes of the content that a change expects. */
export type IfMatch = { ifMatch?: readonly string[] | undefined };

/** Documents of early releases have no hash, so no condition is known to be met. */
export function isMet(ifMatch: IfMatch["ifMatch"], { sha256 }: DocumentRecord): boolean {
  return ifMatch === undefined || (sha256 !== undefined && ifMatch.includes(sha256));
}

/** A document with its uploaded file. */
export interface DocumentSource {
  document: Document;
  bytes: Uint8Array<ArrayBuffer>;
}

/** `undefined` if there is no such document. */
export async function readDocumentSource(
  kv: Deno.Kv,
  of: DocumentName,
): Promise<DocumentSource | undefined> {
  const entry = await kv.get(keys.document(of));
  const record = parseRecord(documentRecordSchema, entry);
  if (record === undefined) return undefined;
  const { id, parts } = record.source;
  const wanted = chunkKeys(parts, (n) => keys.documentSourceChunk(of, id, n));
  const chunks = await readChunks(kv, wanted);
  if (chunks !== undefined) return { document: toDocument(record), bytes: concatBytes(chunks) };
  // Replaced or deleted between the two reads: use what is stored now.
  const fresh = await kv.get(entry.key);
  if (fresh.versionstamp !== entry.versionstamp) return await readDocumentSource(kv, of);
  throw new CorruptRecordError("the content of a document was lost");
}
