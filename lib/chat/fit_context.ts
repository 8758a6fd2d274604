import { type ContextWindow, maxPromptBytes } from "../agent/context_room.ts";
import { fitMessages } from "../agent/fit_messages.ts";
import type { ChatMessage } from "../wire/chat.ts";

/** What of a conversation fits into the model's context. */
export interface FittedContext {
  messages: readonly ChatMessage[];
  /** How many of the oldest were left out. */
  dropped: number;
}

/**
 * Drops the oldest turns until prompt, tools, messages and a short answer fit into `contextTokens`: the
 * answer is cut before the conversation is. The last message stays whatever its length, and what is
 * left begins with the user, as vendors demand.
 */
export function fitContext(
  messages: readonly ChatMessage[],
  { otherBytes, ...room }: ContextWindow & { otherBytes: number },
): FittedContext {
  const bytes = maxPromptBytes(room) - otherBytes;
  const { dropped } = fitMessages(messages, { bytes, question: messages.length - 1 });
  return { messages: messages.slice(dropped), dropped };
}
