import type { ConversationRun } from "@/lib/schemas/conversation.ts";
import { msg } from "./texts/translate.ts";

export const FINISH_LABELS: Record<ConversationRun["finishReason"], string> = {
  stop: msg("Completed"),
  length: msg("Length limit"),
  content_filter: msg("Filtered"),
  max_steps: msg("Step limit"),
  max_cost: msg("Cost limit"),
  timeout: msg("Timed out"),
  cancelled: msg("Cancelled"),
  error: msg("Error"),
  interrupted: msg("Interrupted"),
};

export function finishBadgeClass(finish: ConversationRun["finishReason"]): string {
  if (finish === "stop") return "badge badge-active";
  return finish === "error" || finish === "interrupted"
    ? "badge badge-revoked"
    : "badge badge-expired";
}
