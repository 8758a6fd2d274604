/** The part of the conversation that is sent along, within the service's bounds. */
import type { ChatMessage } from "./client/chat_run.ts";
import type { TranscriptMessage } from "./state.ts";

export const MAX_MESSAGES = 64;
export const MAX_MESSAGE_LENGTH = 32_000;
/** So many UTF-16 units stay below the 1 MiB a body may have, whatever they are encoded to. */
const MAX_TOTAL_LENGTH = 160_000;

/** The newest turns that fit, oldest first. They begin with a question, as models expect. */
export function toChatMessages(turns: readonly TranscriptMessage[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let units = 0;
  for (const turn of turns.toReversed()) {
    const message = { role: turn.role, content: truncate(turn.text) };
    units += message.content.length;
    if (messages.length === MAX_MESSAGES || units > MAX_TOTAL_LENGTH) break;
    messages.push(message);
  }
  while (messages.length > 1 && messages.at(-1)?.role === "assistant") messages.pop();
  return messages.reverse();
}

/** Cuts to the content limit without leaving half of a surrogate pair behind. */
export function truncate(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH
    ? text.slice(0, MAX_MESSAGE_LENGTH).replace(/[\uD800-\uDBFF]$/, "")
    : text;
}
