import { sha256 } from "../../platform/crypto/signer.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { ChatBody } from "../../schemas/chat.ts";
import type { ChatProtocol } from "../../schemas/chat_protocol.ts";
import type { CanaryArm } from "../../schemas/publication.ts";
import type { AgentStore, ServedAgent } from "../../store/agents/agent_store.ts";
import type { StoredCanary } from "../../store/agents/stored_publication.ts";
import {
  type ConversationHead,
  conversationName,
} from "../../store/conversations/conversation_record.ts";
import { keys } from "../../store/keys/keys.ts";
import type { RunCanary } from "../../store/runs/run_record.ts";
import type { KvReader } from "../../store/tx/read_transaction.ts";

/** Where a message comes from, as far as it names its conversation. */
export interface MessagePlace {
  tenant: string;
  body: Pick<ChatBody, "conversationId" | "messages">;
  protocol: ChatProtocol;
  origin?: string | undefined;
  /** The visitor's hash. */
  visitor?: string | undefined;
  /** Makes the id of a conversation that it begins. */
  newId: () => string;
}

/** The version that answers a message. */
export interface ChosenVersion {
  agent: Agent;
  /** Absent if no canary divides the conversation. */
  canary?: RunCanary;
  /** The published version, if that is another. */
  published?: Agent;
  /** The id of the conversation that the message begins, if that decided. */
  newConversationId?: string;
}

/**
 * Chooses between the published version and a canary. A conversation keeps the version that it began with:
 * its record says whether that was the canary, and one without a record is drawn by its id, which gives the
 * same version each time. So conversations that were there before a canary stay with the published version.
 */
export async function chooseVersion(
  { agent, canary }: ServedAgent,
  place: MessagePlace,
  { agents, reader }: {
    agents: Pick<AgentStore, "getVersion">;
    reader: KvReader;
  },
): Promise<ChosenVersion> {
  if (canary === undefined || !canBeFollowed(place)) return { agent };
  const { tenant, body, origin, visitor } = place;
  const id = body.conversationId ?? place.newId();
  const isNew = body.conversationId === undefined && { newConversationId: id };
  const name = await conversationName(id, { tenant, agentId: agent.id, origin, visitor });
  const { value: head } = isNew
    ? { value: null }
    : await reader.get<ConversationHead>(keys.conversation(name));
  const known = head !== null && "id" in head ? head : undefined;
  // What began before the canary is not divided.
  if (known !== undefined && known.canary?.id !== canary.id) return { agent };
  const arm = known?.canary?.arm ?? await drawArm(canary, id);
  // A version that is lost must not take the conversation with it.
  const version = arm === "canary"
    ? await agents.getVersion(tenant, agent.id, canary.version, reader)
    : undefined;
  const first = known === undefined && !hasAnswers(body) && { first: true as const };
  const given = {
    id: canary.id,
    arm: version === undefined ? "published" as const : arm,
    ...first,
  };
  if (version === undefined) return { agent, canary: given, ...isNew };
  return { agent: version, published: agent, canary: given, ...isNew };
}

/**
 * Clients that keep the conversation to themselves and send all of it each time would begin a new one with
 * each message.
 */
function canBeFollowed({ body, protocol }: MessagePlace): boolean {
  return body.conversationId !== undefined || (protocol !== "openai-chat" && !hasAnswers(body));
}

function hasAnswers({ messages }: Pick<ChatBody, "messages">): boolean {
  return messages.some(({ role }) => role === "assistant");
}

/** Draws `percent` of all ids, others for each canary. */
async function drawArm(
  { id, percent }: StoredCanary,
  conversationId: string,
): Promise<CanaryArm> {
  const digest = await sha256(`${id}\n${conversationId}`);
  const [a, b, c, d] = Uint8Array.fromBase64(digest, { alphabet: "base64url" });
  const drawn = new DataView(Uint8Array.of(a!, b!, c!, d!).buffer).getUint32(0);
  return drawn < percent / 100 * 2 ** 32 ? "canary" : "published";
}
