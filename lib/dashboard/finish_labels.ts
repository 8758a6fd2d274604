import type { ConversationRun } from "@/lib/schemas/conversation.ts";

export const FINISH_LABELS: Record<ConversationRun["finishReason"], string> = {
  stop: "Completed",
  length: "Length limit",
  content_filter: "Filtered",
  max_steps: "Step limit",
  max_cost: "Cost limit",
  timeout: "Timed out",
  cancelled: "Cancelled",
  error: "Error",
  interrupted: "Interrupted",
};

export function finishBadgeClass(finish: ConversationRun["finishReason"]): string {
  if (finish === "stop") return "badge badge-active";
  return finish === "error" || finish === "interrupted"
    ? "badge badge-revoked"
    : "badge badge-expired";
}
