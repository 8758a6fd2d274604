import type { Outcome } from "../../services/conversation_inbox.ts";

/** What became of a conversation's last message, in words of people who answer visitors. */
export const OUTCOME_LABELS: Record<Outcome, string> = {
  stop: "Answered",
  length: "Length limit",
  content_filter: "Filtered",
  max_steps: "Step limit",
  max_cost: "Cost limit",
  timeout: "Timed out",
  cancelled: "Stopped",
  error: "Failed",
  interrupted: "Interrupted",
  live: "Live",
};

/** The colour of its mark; the label says the same in words. */
export function outcomeTone(outcome: Outcome): "good" | "bad" | "warn" | "live" | "quiet" {
  switch (outcome) {
    case "stop":
      return "good";
    case "live":
      return "live";
    case "error":
    case "interrupted":
      return "bad";
    case "cancelled":
      return "quiet";
    default:
      return "warn";
  }
}
