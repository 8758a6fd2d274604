/** The part of the conversation that is sent along, within the service's bounds. */
import type { Turn } from "./state.ts";

export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export const MAX_MESSAGES = 64;
export const MAX_CONTENT = 32_000;
/** Below the 1 MiB a body may have, with room for the fields around the messages. */
const MAX_BYTES = 960 * 1024;

/** The newest turns that fit, oldest first. They begin with a question, as models expect. */
export function messagesOf(turns: readonly Turn[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let bytes = 0;
  for (const turn of turns.toReversed()) {
    const message = { role: turn.role, content: clip(turn.text) };
    bytes += new TextEncoder().encode(JSON.stringify(message)).length + 1;
    if (messages.length === MAX_MESSAGES || bytes > MAX_BYTES) break;
    messages.push(message);
  }
  while (messages.length > 1 && messages.at(-1)?.role === "assistant") messages.pop();
  return messages.reverse();
}

/** Cuts to the content limit without leaving half of a surrogate pair behind. */
export function clip(text: string): string {
  return text.length > MAX_CONTENT
    ? text.slice(0, MAX_CONTENT).replace(/[\uD800-\uDBFF]$/, "")
    : text;
}
