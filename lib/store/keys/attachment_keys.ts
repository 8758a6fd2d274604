import type { ConversationName } from "./run_keys.ts";

/** Keys of attachments: a part of `keys`, under the same rules. */
export const ATTACHMENT_KEYS = {
  /** An attachment without its file; `exp` is its end of life. */
  attachment: (tenant: string, id: string) => ["attachments", tenant, id],
  tenantAttachments: (tenant: string) => ["attachments", tenant],
  allAttachments: () => ["attachments"],
  /** Chunk `n` of the file, encrypted. */
  attachmentChunk: (tenant: string, id: string, n: number) => ["attachment_parts", tenant, id, n],
  attachmentChunks: (tenant: string, id: string) => ["attachment_parts", tenant, id],
  allAttachmentChunks: () => ["attachment_parts"],
  /** Chunk `n` of the text of a document, encrypted. */
  attachmentTextChunk: (
    tenant: string,
    id: string,
    n: number,
  ) => ["attachment_texts", tenant, id, n],
  attachmentTextChunks: (tenant: string, id: string) => ["attachment_texts", tenant, id],
  allAttachmentTextChunks: () => ["attachment_texts"],
  /**
   * When to look at an attachment next, milliseconds: to delete it, or to find that it lives longer. Exists
   * from before the first chunk is stored until after the last is deleted.
   */
  attachmentDue: (at: number, tenant: string, id: string) => ["attachments_due", at, tenant, id],
  attachmentsDue: () => ["attachments_due"],
  /** Deletions that have begun: the record is gone, its content may not be. */
  begunAttachmentDeletions: (tenant: string) => ["attachments_due", 0, tenant],
  /** Value `{ v, exp }`: a conversation that uses an attachment, and its end of life. */
  attachmentUse: (of: ConversationName, id: string) => [
    "attachment_uses",
    of.tenant,
    id,
    of.id,
    of.agentId,
    of.page,
  ],
  attachmentUses: (tenant: string, id: string) => ["attachment_uses", tenant, id],
  /** The same, to find the attachments of a conversation. */
  conversationAttachment: (of: ConversationName, id: string) => [
    "conversation_attachments",
    of.tenant,
    of.id,
    of.agentId,
    of.page,
    id,
  ],
  conversationAttachments: (of: ConversationName) => [
    "conversation_attachments",
    of.tenant,
    of.id,
    of.agentId,
    of.page,
  ],
  /** How much one session has uploaded: `{ v, files, bytes }`. */
  sessionUploads: (tenant: string, sessionId: string) => ["session_uploads", tenant, sessionId],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
