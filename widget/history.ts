/** The part of the conversation that is sent with a message, within the service's limits. */
import type { ChatMessage } from "./client/chat_run.ts";
import type { TranscriptMessage } from "./state.ts";

export const MAX_MESSAGES = 64;
export const MAX_MESSAGE_LENGTH = 32_000;
/** In UTF-16 units. Stays below the body limit of 1 MiB in any encoding. */
const MAX_TOTAL_LENGTH = 160_000;

/** The newest messages that fit, oldest first, beginning with the user's, as models expect. */
export function toChatMessages(
  turns: readonly Pick<TranscriptMessage, "role" | "text" | "files">[],
): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let units = 0;
  for (const turn of turns.toReversed()) {
    // The service adds the words of people to the prompt, where no client can write.
    if (turn.role === "person") continue;
    const attachments = turn.files?.map(({ id }) => id);
    const message = { role: turn.role, content: truncate(turn.text), attachments };
    units += message.content.length;
    if (messages.length === MAX_MESSAGES || units > MAX_TOTAL_LENGTH) break;
    messages.push(message);
  }
  while (messages.length > 1 && messages.at(-1)?.role === "assistant") messages.pop();
  return messages.reverse();
}

/** Cuts to the length limit without splitting a surrogate pair. */
export function truncate(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH
    ? text.slice(0, MAX_MESSAGE_LENGTH).replace(/[\uD800-\uDBFF]$/, "")
    : text;
}
