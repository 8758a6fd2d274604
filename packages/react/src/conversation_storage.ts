/** Keeps a conversation over reloads of the tab. */
import type { ChatMessage } from "@agent-chat/client";
import type { AgentChatStorage, AgentMessage, Approval } from "./mod.d.ts";

/** A message whose answer is not complete. Sending it again joins its run. */
export interface PendingMessage {
  readonly messages: readonly ChatMessage[];
  readonly idempotencyKey: string;
  /** The run that it replaces. */
  readonly replaces?: string | undefined;
  /** The last frame that is part of the stored answer; "" before the first. */
  readonly position: string;
}

export interface StoredConversation {
  readonly messages: readonly AgentMessage[];
  readonly conversationId: string | undefined;
  readonly pending: PendingMessage | undefined;
  readonly approvals: readonly Approval[];
}

export interface ConversationStorage {
  load(): StoredConversation | undefined;
  /** Removes the entry of an empty conversation. */
  save(conversation: StoredConversation): void;
}

/** `storage` throws in browsers that block the site's data: then nothing is kept. */
export function createStorage(
  name: string,
  storage: () => AgentChatStorage | false,
): ConversationStorage {
  const key = `agent-chat:${name}`;
  return {
    load() {
      try {
        const { v, ...stored } = JSON.parse((storage() || undefined)?.getItem(key) ?? "{}");
        // An earlier version has stored no approvals.
        return v === 1 ? { approvals: [], ...stored } : undefined;
      } catch {
        return undefined;
      }
    },
    save(conversation) {
      try {
        const kept = storage() || undefined;
        if (conversation.messages.length === 0) kept?.removeItem(key);
        else kept?.setItem(key, JSON.stringify({ v: 1, ...conversation }));
      } catch { /* full or blocked */ }
    },
  };
}
