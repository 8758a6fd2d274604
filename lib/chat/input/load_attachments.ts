import type { AttachmentStore } from "../../store/attachments/attachment_store.ts";
import {
  type AttachmentOwner,
  type AttachmentRecord,
  isOwner,
} from "../../store/attachments/attachment_record.ts";
import {
  conversationName,
  conversationPage,
} from "../../store/conversations/conversation_record.ts";
import type { MessageAttachment } from "../../schemas/attachment.ts";
import type { ChatRequest } from "../chat_request.ts";

/** Attachments of one run; those of older messages are left out first. */
const MAX_ATTACHMENTS = 20;

/** An attachment of a message that the sender may use. */
export interface LoadedAttachment {
  record: AttachmentRecord;
  described: MessageAttachment;
  /** The text of a document. */
  text: string;
}

/** The attachments of each message, in order; `undefined` for one that cannot be used. */
export type AttachmentsByMessage = (LoadedAttachment | undefined)[][];

/**
 * Loads the attachments of a request's messages without the files of images. The sender may use those it
 * has uploaded for this agent, also in another session of the same named visitor, and those that the same
 * conversation has used before: a session is renewed within a conversation.
 */
export async function loadAttachments(
  request: ChatRequest,
  attachments: AttachmentStore,
): Promise<AttachmentsByMessage> {
  const { tenant, body: { messages } } = request;
  const loaded: AttachmentsByMessage = [];
  let count = 0;
  // From the latest message, so that the limit leaves out the oldest.
  for (const { attachments: ids = [] } of messages.toReversed()) {
    const wanted = [...new Set(ids)];
    count += wanted.length;
    const isWithin = count <= MAX_ATTACHMENTS;
    loaded.unshift(
      await Promise.all(wanted.map(async (id) => {
        if (!isWithin) return undefined;
        const mine = (record: AttachmentRecord) => mayUse(request, record, attachments);
        const record = await attachments.claim(tenant, { id, mayUse: mine });
        if (record === undefined) return undefined;
        const described = await attachments.describe(tenant, record);
        return { record, described, text: await attachments.readText(tenant, record) };
      })),
    );
  }
  return loaded;
}

async function mayUse(
  { tenant, agent, body, source, origin, visitor }: ChatRequest,
  record: AttachmentRecord,
  attachments: AttachmentStore,
): Promise<boolean> {
  const agentId = agent.id;
  if (record.agentId !== agentId || source.kind === "user") return false;
  const of = { tenant, agentId, origin, visitor: visitor?.hash };
  const owner: AttachmentOwner = { kind: source.kind, id: source.id };
  if (visitor !== undefined) owner.page = await conversationPage(of);
  if (isOwner(record, { agentId, owner })) return true;
  if (body.conversationId === undefined) return false;
  const name = await conversationName(body.conversationId, of);
  return await attachments.isUsedIn(name, record.id);
}
