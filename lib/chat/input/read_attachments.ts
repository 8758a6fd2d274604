import type { AttachmentStore } from "../../store/attachments/attachment_store.ts";
import type { ChatRequest } from "../chat_request.ts";
import type { AttachmentsByMessage } from "./load_attachments.ts";

/**
 * The attachments of messages that a person of the tenant asks again: those of the agent, without the files
 * of images. `undefined` for one that was deleted.
 */
export async function readAttachments(
  { tenant, agent, body: { messages } }: ChatRequest,
  attachments: Pick<AttachmentStore, "find" | "describe" | "readText">,
): Promise<AttachmentsByMessage> {
  const read = async (id: string) => {
    const record = await attachments.find(tenant, id);
    if (record === undefined || record.agentId !== agent.id) return undefined;
    const described = await attachments.describe(tenant, record);
    return { record, described, text: await attachments.readText(tenant, record) };
  };
  const loaded: AttachmentsByMessage = [];
  for (const { attachments: ids = [] } of messages) {
    loaded.push(await Promise.all([...new Set(ids)].map(read)));
  }
  return loaded;
}
