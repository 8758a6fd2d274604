import type { ConversationRun } from "@/lib/schemas/conversation.ts";

/** How runs end, in words. */
export const FINISH_LABELS: Record<ConversationRun["finishReason"], string> = {
  stop: "Completed",
  length: "Cut at its length",
  content_filter: "Filtered",
  max_steps: "Out of steps",
  max_cost: "Out of budget",
  timeout: "Out of time",
  cancelled: "Cancelled",
  error: "Error",
  interrupted: "Interrupted",
};

/** How grave an end is: the class of its badge. */
export function finishBadgeClass(finish: ConversationRun["finishReason"]): string {
  if (finish === "stop") return "badge badge-active";
  return finish === "error" || finish === "interrupted"
    ? "badge badge-revoked"
    : "badge badge-expired";
}
