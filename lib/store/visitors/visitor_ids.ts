import { z } from "zod";
import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { bytesSchema } from "../values/chunks.ts";

/** A stored visitor: keys and comparisons use the hash, people read the encrypted id. */
export const visitorRefSchema = z.object({ hash: z.string(), sealed: bytesSchema });
export type VisitorRef = z.infer<typeof visitorRefSchema>;

const encoder = new TextEncoder();

/**
 * The keyed hash of a visitor's id, for keys. Ids may be e-mail addresses, so the hash must not be
 * guessable, and those of two tenants must not be comparable.
 */
export function visitorHash(content: ContentCipher, tenant: string, id: string): string {
  return content.digest(JSON.stringify(["visitor", tenant, id]));
}

export function sealVisitorId(
  content: ContentCipher,
  { tenant, hash, id }: { tenant: string; hash: string; id: string },
): VisitorRef {
  const sealed = content.sealSync(encoder.encode(id), contentContexts.visitorId(tenant, hash));
  return { hash, sealed };
}

/** Throws `UnreadableContentError`. */
export async function unsealVisitorId(
  content: ContentCipher,
  { tenant, visitor: { hash, sealed } }: { tenant: string; visitor: VisitorRef },
): Promise<string> {
  const bytes = await content.unseal(sealed, contentContexts.visitorId(tenant, hash));
  return new TextDecoder().decode(bytes);
}
