import { z } from "zod";
import {
  ATTACHMENT_KINDS,
  ATTACHMENT_TYPES,
  type AttachmentType,
  type MessageAttachment,
} from "../../schemas/attachment.ts";
import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { bytesSchema } from "../values/chunks.ts";

const count = z.int().nonnegative();

/** The credential that uploaded an attachment. */
const ownerSchema = z.object({
  kind: z.enum(["key", "session"]),
  id: z.string(),
  /** Of the live session of a named visitor: its page and visitor, as in `ConversationName`. */
  page: z.string().optional(),
  /** The hash of that visitor, so that an erasure finds what no message has used. */
  visitor: z.string().optional(),
});
export type AttachmentOwner = z.infer<typeof ownerSchema>;

/** A stored attachment without its file. */
export const attachmentRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  agentId: z.uuid(),
  owner: ownerSchema,
  kind: z.enum(ATTACHMENT_KINDS),
  mediaType: z.enum(ATTACHMENT_TYPES),
  /** The size of the file, and the number of its chunks. */
  bytes: count,
  parts: z.int().positive(),
  /** Pixels of an image. */
  size: z.object({ width: z.int().positive(), height: z.int().positive() }).optional(),
  /** The text of a document: its size, the number of its chunks, and whether its end is missing. */
  text: z.object({ bytes: count, parts: z.int().positive(), cut: z.boolean() }).optional(),
  /** The file's name, encrypted. */
  name: bytesSchema,
  createdAt: z.int(),
  /** The end of life, milliseconds, unless a conversation uses it for longer. */
  exp: z.int(),
  /** The time in the key of its entry in the queue of deletions. */
  due: z.int(),
});
export type AttachmentRecord = z.infer<typeof attachmentRecordSchema>;

/**
 * True for the credential that uploaded the attachment, and for every live session of the same agent,
 * page and named visitor.
 */
export function isOwner(
  { agentId, owner }: Pick<AttachmentRecord, "agentId" | "owner">,
  by: { agentId: string | undefined; owner: AttachmentOwner },
): boolean {
  if (owner.kind === by.owner.kind && owner.id === by.owner.id) return true;
  return owner.page !== undefined && owner.page === by.owner.page && agentId === by.agentId;
}

/** A conversation uses an attachment until `exp`. */
export const attachmentUseSchema = z.object({
  v: z.literal(1),
  exp: z.int(),
  /** The last run whose messages have it; absent in records of early releases. */
  runId: z.string().optional(),
});

/** A file to be stored, as it was checked and rewritten. */
export interface NewAttachment {
  kind: AttachmentRecord["kind"];
  mediaType: AttachmentType;
  bytes: Uint8Array<ArrayBuffer>;
  name: string;
  size?: AttachmentRecord["size"];
  text?: { bytes: Uint8Array<ArrayBuffer>; cut: boolean };
}

/** What the attachment is counted as in its tenant's storage. */
export function storedBytes({ bytes, text }: Pick<AttachmentRecord, "bytes" | "text">): number {
  return bytes + (text?.bytes ?? 0);
}

/** The file's name; `undefined` if it cannot be decrypted. */
export async function attachmentName(
  { id, name }: AttachmentRecord,
  { tenant, content }: { tenant: string; content: ContentCipher },
): Promise<string | undefined> {
  try {
    const plain = await content.unseal(name, contentContexts.attachmentName(tenant, id));
    return new TextDecoder().decode(plain);
  } catch {
    return undefined;
  }
}

/** What a conversation shows of it. */
export async function toMessageAttachment(
  record: AttachmentRecord,
  deps: { tenant: string; content: ContentCipher },
): Promise<MessageAttachment> {
  const { id, kind, mediaType, bytes } = record;
  const name = await attachmentName(record, deps);
  return { id, kind, mediaType, bytes, ...name !== undefined && { name } };
}
