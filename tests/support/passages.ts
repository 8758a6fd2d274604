import { encodePassages, type Passage } from "@/lib/knowledge/passage.ts";
import { type DocumentName, keys } from "@/lib/store/keys/keys.ts";

/** A document by its passages. */
export interface TestDocument {
  title?: string;
  passages: (string | Partial<Passage>)[];
  /** Version of its processing. */
  revision?: string;
}

/** Stores a processed document: its passages, index entries, and the change of the knowledge base. */
export async function putDocument(
  kv: Deno.Kv,
  of: DocumentName,
  { title = "A document", passages, revision = crypto.randomUUID() }: TestDocument,
): Promise<void> {
  const { chunks } = encodePassages(passages.map((passage) => {
    const given = typeof passage === "string" ? { text: passage } : passage;
    return { headingPath: [], text: "", tokens: 1, ...given };
  }));
  // Delete what the previous processing stored.
  for await (const { key } of kv.list({ prefix: keys.documentPassageChunks(of) })) {
    await kv.delete(key);
  }
  for (const [n, part] of chunks.entries()) {
    await kv.set(keys.documentPassageChunk(of, revision, n), part);
  }
  const stored = { id: revision, parts: chunks.length, chunks: passages.length };
  await kv.set(keys.indexedDocument(of), { v: 1, title, revision: stored });
  await touchBase(kv, of);
}

/** Deletes a document with its passages. */
export async function dropDocument(kv: Deno.Kv, of: DocumentName): Promise<void> {
  await kv.delete(keys.indexedDocument(of));
  await touchBase(kv, of);
  for await (const { key } of kv.list({ prefix: keys.documentPassageChunks(of) })) {
    await kv.delete(key);
  }
}

/** Marks the knowledge base as changed. */
async function touchBase(kv: Deno.Kv, { tenant, base }: DocumentName): Promise<void> {
  await kv.set(keys.knowledgeBase(tenant, base), { v: 1 });
}
