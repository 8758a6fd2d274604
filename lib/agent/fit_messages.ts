import { Buffer } from "node:buffer";
import { toolOutputText } from "../providers/message_parts.ts";
import type { ModelMessage } from "../providers/model.ts";
import { metadataBytes } from "./input_size.ts";

/** Of each result at least so much is shown, however little room there is. */
const MIN_RESULT_BYTES = 200;

/** What of the messages fits. */
export interface FittedMessages {
  messages: readonly ModelMessage[];
  /** How many of the oldest were left out. */
  dropped: number;
  /** How many results of tools are not shown whole. */
  truncated: number;
}

/**
 * Drops the oldest turns until the messages fit into `bytes`; what is left begins with the user, as
 * vendors demand. The message at `question` stays, and so does what came after it: when that alone is
 * too much, the longest results of tools are cut, and say so.
 */
export function fitMessages(
  messages: readonly ModelMessage[],
  { bytes, question }: { bytes: number; question: number },
): FittedMessages {
  const sizes = messages.map(contentBytes);
  const own = sizes.slice(question).reduce((sum, size) => sum + size, 0);
  let first = question;
  for (let left = bytes - own; first > 0; first--) {
    left -= sizes[first - 1]!;
    if (left < 0) break;
  }
  while (first < question && messages[first]!.role !== "user") first++;
  if (own <= bytes) return { messages: messages.slice(first), dropped: first, truncated: 0 };
  const asked = messages.slice(question);
  const results = sizes.slice(question).filter((_, n) => asked[n]!.role === "tool");
  const room = bytes - own + results.reduce((sum, size) => sum + size, 0);
  const most = Math.max(MIN_RESULT_BYTES, fairShare(room, results));
  const shown = asked.map((message) => truncateResult(message, most));
  const cut = shown.filter((message, n) => message !== asked[n]).length;
  return { messages: shown, dropped: question, truncated: cut };
}

function contentBytes(message: ModelMessage): number {
  if (message.role === "tool") return Buffer.byteLength(toolOutputText(message.output));
  if (message.role === "user") return Buffer.byteLength(message.content);
  const { content, toolCalls = [], providerMetadata } = message;
  const calls = toolCalls.reduce(
    (sum, { name, args, providerMetadata }) =>
      sum + Buffer.byteLength(name + args) + metadataBytes(providerMetadata),
    0,
  );
  return Buffer.byteLength(content) + calls + metadataBytes(providerMetadata);
}

/** The most that each may have so that all fit: what short ones leave is the long ones'. */
function fairShare(room: number, sizes: readonly number[]): number {
  let left = room;
  let sharing = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * sharing > left) return Math.floor(left / sharing);
    left -= size;
    sharing--;
  }
  return Infinity;
}

function truncateResult(message: ModelMessage, most: number): ModelMessage {
  if (message.role !== "tool") return message;
  const text = toolOutputText(message.output);
  const whole = Buffer.byteLength(text);
  if (whole <= most) return message;
  const notice = (shown: number) =>
    `\n[cut: the first ${shown} of ${whole} bytes; the rest does not fit into the model's context]`;
  const bytes = new Uint8Array(Math.max(0, most - notice(whole).length));
  // Never half a character at the end.
  const { read, written } = new TextEncoder().encodeInto(text, bytes);
  return { ...message, output: text.slice(0, read) + notice(written) };
}
