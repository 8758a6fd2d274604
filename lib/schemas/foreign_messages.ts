import { z } from "zod";
import { validationError } from "./api_error.ts";
import { FIELD_BOUNDS as B } from "./limits.ts";
import type { ChatMessage } from "./chat.ts";

/** Messages of a foreign format that one call may carry; only the newest are used. */
export const MAX_FOREIGN_MESSAGES = 2_000;

/** A field that clients send by themselves, and that means nothing to an agent. */
export const ignored = z.unknown().optional();

/** A message of another format, reduced to its words. */
export interface ForeignMessage {
  role: "user" | "assistant" | "instructions";
  text: string;
}

/**
 * The newest messages in our form. Instructions of the caller become part of the next user message, because
 * only the agent's own prompt may instruct it. Empty messages are left out, answers are shortened to what a
 * message may have. Throws 400 unless the last message is the user's.
 */
export function toChatMessages(
  messages: readonly ForeignMessage[],
  { path }: { path: string },
): ChatMessage[] {
  const chat: ChatMessage[] = [];
  let instructions: string[] = [];
  for (const { role, text } of messages) {
    if (text === "") continue;
    if (role === "instructions") instructions.push(text);
    else if (role === "assistant") chat.push({ role, content: truncate(text) });
    else {
      chat.push({ role, content: withInstructions(text, instructions) });
      instructions = [];
    }
  }
  if (chat.at(-1)?.role !== "user") {
    const message = "the last message must be the user's, with text";
    throw validationError([{ path, code: "invalid_value", message }]);
  }
  const newest = chat.slice(-B.messages);
  return newest.slice(newest.findIndex(({ role }) => role === "user"));
}

function withInstructions(text: string, instructions: readonly string[]): string {
  if (instructions.length === 0) return text;
  return `[Notes of the application]\n${instructions.join("\n\n")}\n[Message of the user]\n${text}`;
}

function truncate(text: string): string {
  return text.length <= B.messageLength ? text : text.slice(0, B.messageLength).toWellFormed();
}

const textPart = z.object({
  type: z.enum(["text", "input_text", "output_text"]),
  text: z.string(),
});
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const otherPart = z.object({ type: z.string() }).refine(() => false, "only text is supported");

/** Text, or parts of which only text is accepted. */
export const foreignContentSchema = z.union([
  z.string(),
  z.array(z.union([textPart, refusalPart, otherPart])).max(1_000),
]).describe("Text, or parts of type `text`, `input_text` or `output_text`.");

/** The words of a content, in their order. */
export function textOf(content: z.infer<typeof foreignContentSchema> | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) =>
    "text" in part ? part.text : "refusal" in part ? part.refusal : ""
  )
    .join("");
}
