import { z } from "zod";
import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { CorruptRecordError } from "../values/record.ts";
import { visitorHash, type VisitorRef } from "./visitor_ids.ts";

const sessionVisitorSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** The visitor of a session, decrypted. */
export interface SessionVisitor extends Omit<z.infer<typeof sessionVisitorSchema>, "v"> {
  hash: string;
}

/** What a session is minted with. */
export type NewVisitor = Omit<SessionVisitor, "hash">;

type SessionName = { tenant: string; id: string };

/** The stored form: id and values are the visitor's content. */
export function sealSessionVisitor(
  content: ContentCipher,
  { tenant, id: sessionId }: SessionName,
  { id, variables }: NewVisitor,
): VisitorRef {
  const bytes = new TextEncoder().encode(JSON.stringify({ v: 1, id, variables }));
  const sealed = content.sealSync(bytes, contentContexts.sessionVisitor(tenant, sessionId));
  return { hash: visitorHash(content, tenant, id), sealed };
}

/** Throws `CorruptRecordError` for one that cannot be decrypted. */
export async function openSessionVisitor(
  content: ContentCipher,
  { tenant, id: sessionId }: SessionName,
  { hash, sealed }: VisitorRef,
): Promise<SessionVisitor> {
  const context = contentContexts.sessionVisitor(tenant, sessionId);
  const text = new TextDecoder().decode(await content.unseal(sealed, context));
  try {
    const { id, variables } = sessionVisitorSchema.parse(JSON.parse(text));
    return { hash, id, variables };
  } catch {
    throw new CorruptRecordError("invalid visitor in a stored session");
  }
}
