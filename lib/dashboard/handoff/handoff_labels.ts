import type { HandoffCause } from "../../schemas/handoff.ts";
import type { FeedEntry, HandoffHead } from "../../store/handoffs/handoff_record.ts";
import { msg, t } from "../texts/translate.ts";

const CAUSES: Record<HandoffCause, string> = {
  outside_hours: msg("Outside business hours: the agent kept the conversation."),
  no_answer: msg("Nobody answered in time: the agent has the conversation again."),
  switched_off: msg("Hand-off was removed from the agent, which has the conversation again."),
};

/** A line of the feed for a change of state. */
export function stateText(entry: Extract<FeedEntry, { type: "state" }>): string {
  const { state, cause, person = "" } = entry;
  if (cause !== undefined) return t(CAUSES[cause]);
  switch (state) {
    case "waiting":
      return entry.by === "model"
        ? t("The agent asked for a person.")
        : t("The visitor asked for a person.");
    case "taken":
      return t("{person} took the conversation.", { person });
    case "returned":
      return t("The conversation was handed back to the agent.");
    case "closed":
      return t("The conversation was closed.");
    default:
      return state satisfies never;
  }
}

/** Why a conversation is in the queue. */
export function queueLabel({ state, person, contact }: HandoffHead): string {
  if (state === "waiting") return t("Waiting");
  if (state === "taken") return t("With {person}", { person: person?.name ?? "" });
  return contact === "left" ? t("Left a message") : t("With the agent");
}
