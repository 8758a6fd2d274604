import type { ModelMessage } from "../../providers/model.ts";
import type { ModelRegistry } from "../../providers/model_registry.ts";
import { DEMO_MODEL } from "../../schemas/provider_id.ts";
import type { StoredMessage } from "../../store/conversations/conversation_record.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import type { ChatRequest } from "../chat_request.ts";
import { attachFiles } from "./attach_files.ts";
import type { AttachmentsByMessage } from "./load_attachments.ts";
import { contextWindow, type ResolvedPolicy } from "./resolve_candidates.ts";

/** A request's messages with their attachments. */
export interface AttachedMessages {
  messages: readonly ModelMessage[];
  /** Those that can read the messages. */
  models: CatalogueEntry[];
  /** For the transcript. */
  stored: readonly StoredMessage[];
  /** The ids of all attachments that were found. */
  used: string[];
}

/** Puts the files of a request's messages into the prompt; `load` finds those that it may use. */
export async function attachMessages(
  request: ChatRequest,
  { policy, otherBytes, models, load }: {
    policy: ResolvedPolicy;
    /** Bytes of the prompt besides the messages. */
    otherBytes: number;
    models: Pick<ModelRegistry, "connection">;
    load: (request: ChatRequest) => Promise<AttachmentsByMessage>;
  },
): Promise<AttachedMessages> {
  const { agent, body: { messages } } = request;
  if (messages.every(({ attachments }) => attachments === undefined)) {
    const plain = messages.map(({ role, content }) => ({ role, content }));
    return { messages: plain, models: policy.entries, stored: plain, used: [] };
  }
  const loaded = await load(request);
  const readers = policy.entries.map((entry) => {
    const isDemo = entry.model === DEMO_MODEL;
    return { ...entry, protocol: isDemo ? undefined : models.connection(entry.vendor)?.protocol };
  });
  return {
    ...attachFiles({
      ...{ messages, loaded, agent, readers, otherBytes },
      contextWindow: contextWindow(policy),
    }),
    stored: messages.map(({ role, content }, n) => toStored({ role, content }, loaded[n]!)),
    used: loaded.flat().flatMap((one) => one === undefined ? [] : [one.record.id]),
  };
}

function toStored(message: StoredMessage, loaded: AttachmentsByMessage[number]): StoredMessage {
  const attachments = loaded.flatMap((one) => one === undefined ? [] : [one.described]);
  return attachments.length === 0 ? message : { ...message, attachments };
}
