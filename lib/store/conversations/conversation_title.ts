import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import type { ConversationName } from "../keys/keys.ts";
import type { Conversation } from "./conversation_record.ts";
import { CONVERSATION_TITLE_LENGTH } from "../../schemas/limits.ts";
import { cutText } from "../../platform/cut_text.ts";

/** The first question in one line, cut at a word. */
export function titleOf(messages: readonly { role: string; content: string }[]): string {
  const first = messages.find(({ role }) => role === "user")?.content ?? "";
  // Control characters too, which a chosen title cannot have.
  const line = first.replace(/[\s\p{Cc}]+/gu, " ").trim();
  if (line.length <= CONVERSATION_TITLE_LENGTH) return line;
  const cut = cutText(line, 0, CONVERSATION_TITLE_LENGTH);
  if (line[CONVERSATION_TITLE_LENGTH] === " ") return cut.trimEnd();
  const words = cut.replace(/ [^ ]*$/, "");
  return words.trimEnd();
}

/** The stored form of a title; `undefined` for an empty one. */
export function sealTitle(
  content: ContentCipher,
  name: ConversationName,
  title: string,
): Uint8Array | undefined {
  if (title === "") return undefined;
  return content.sealSync(new TextEncoder().encode(title), contentContexts.conversationTitle(name));
}

/** Throws `UnreadableContentError`. */
export async function unsealTitle(
  content: ContentCipher,
  name: ConversationName,
  { title }: Pick<Conversation, "title">,
): Promise<string | undefined> {
  if (title === undefined) return undefined;
  const bytes = await content.unseal(title, contentContexts.conversationTitle(name));
  return new TextDecoder().decode(bytes);
}
