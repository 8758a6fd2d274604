import type { ConversationSource } from "../schemas/conversation_source.ts";
import { msg, t } from "./texts/translate.ts";

export const SOURCE_LABELS: Record<ConversationSource, string> = {
  widget: msg("Widget"),
  api: "API",
  playground: msg("Playground"),
  share: msg("Shared page"),
};

/** The name of where a conversation began; those of early releases do not have it. */
export function sourceLabel(source: ConversationSource | undefined): string {
  return source === undefined ? t("Unknown") : t(SOURCE_LABELS[source]);
}
