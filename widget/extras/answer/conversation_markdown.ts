import type { TranscriptMessage } from "../../state.ts";

/** A conversation as Markdown, with the name of who wrote each message. */
export function conversationMarkdown(
  turns: readonly TranscriptMessage[],
  names: Record<TranscriptMessage["role"], string>,
): string {
  return turns.map(({ role, text }) => `**${names[role]}:**\n\n${text}\n`).join("\n");
}
