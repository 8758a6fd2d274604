import { encodePassages, type Passage } from "@/lib/knowledge/passage.ts";
import { type DocumentName, keys } from "@/lib/store/keys/keys.ts";

/** What a document says, as its passages. */
export interface TestDocument {
  title?: string;
  passages: (string | Partial<Passage>)[];
  /** Another reading of it than the one before. */
  revision?: string;
}

/** Puts a document into a base as reading it does: its passages, what is found of it, the base's change. */
export async function putDocument(
  kv: Deno.Kv,
  of: DocumentName,
  { title = "A document", passages, revision = crypto.randomUUID() }: TestDocument,
): Promise<void> {
  const { chunks } = encodePassages(passages.map((passage) => {
    const given = typeof passage === "string" ? { text: passage } : passage;
    return { headingPath: [], text: "", tokens: 1, ...given };
  }));
  // As with any other reading, what the one before has left goes.
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

/** Takes a document out of a base, with its passages. */
export async function dropDocument(kv: Deno.Kv, of: DocumentName): Promise<void> {
  await kv.delete(keys.indexedDocument(of));
  await touchBase(kv, of);
  for await (const { key } of kv.list({ prefix: keys.documentPassageChunks(of) })) {
    await kv.delete(key);
  }
}

/** The base has changed; only that it has matters here, and not what it says. */
async function touchBase(kv: Deno.Kv, { tenant, base }: DocumentName): Promise<void> {
  await kv.set(keys.knowledgeBase(tenant, base), { v: 1 });
}
