import type { Outcome } from "../../services/conversation_inbox.ts";
import { msg } from "../texts/translate.ts";

/** What became of a conversation's last message, in words of people who answer visitors. */
export const OUTCOME_LABELS: Record<Outcome, string> = {
  stop: msg("Answered"),
  length: msg("Length limit"),
  content_filter: msg("Filtered"),
  max_steps: msg("Step limit"),
  max_cost: msg("Cost limit"),
  timeout: msg("Timed out"),
  cancelled: msg("Stopped"),
  error: msg("Failed"),
  interrupted: msg("Interrupted"),
  live: msg("Live"),
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
