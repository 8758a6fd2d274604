import type { TranscriptMessage } from "../../state.ts";

/** A conversation as Markdown, with the name of who wrote each message. */
export function conversationMarkdown(
  turns: readonly TranscriptMessage[],
  names: Record<"user" | "assistant", string>,
): string {
  return turns.map(({ role, person, text }) =>
    `**${person ?? names[role === "user" ? role : "assistant"]}:**\n\n${text}\n`
  ).join("\n");
}
