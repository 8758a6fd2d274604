import { Buffer } from "node:buffer";
import type { ChatMessage } from "../wire/chat.ts";

/** Bytes that make a token at least, in prose of any script; a guess that errs on the short side. */
const BYTES_PER_TOKEN = 3;

/** What of a conversation fits into a model's context. */
export interface FittedMessages {
  messages: readonly ChatMessage[];
  /** How many of the oldest were left out. */
  dropped: number;
}

/**
 * Drops the oldest turns until prompt, tools, messages and the answer fit into `contextTokens`. The last
 * message stays whatever its length, and what is left begins with the user, as vendors demand.
 */
export function fitContext(
  messages: readonly ChatMessage[],
  room: { contextTokens: number; outputTokens: number; otherBytes: number },
): FittedMessages {
  const bytes = (room.contextTokens - room.outputTokens) * BYTES_PER_TOKEN - room.otherBytes;
  const last = messages.length - 1;
  let first = messages.length;
  for (let left = bytes; first > 0; first--) {
    left -= Buffer.byteLength(messages[first - 1]!.content);
    if (left < 0) break;
  }
  while (first < last && messages[first]!.role !== "user") first++;
  const dropped = Math.min(first, last);
  return { messages: messages.slice(dropped), dropped };
}
