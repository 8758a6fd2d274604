import type { ConversationSource } from "../schemas/conversation_source.ts";

export const SOURCE_LABELS: Record<ConversationSource, string> = {
  widget: "Widget",
  api: "API",
  playground: "Playground",
  share: "Shared page",
};

/** The name of where a conversation began; those of early releases do not have it. */
export function sourceLabel(source: ConversationSource | undefined): string {
  return source === undefined ? "Unknown" : SOURCE_LABELS[source];
}
