import type { FeedEncoder } from "../../http/feed_response.ts";
import { isoTime } from "../../platform/runtime.ts";
import type { NumberedEntry } from "../../store/handoffs/handoff_record.ts";

/** An event of the dashboard's feed; `at` is ISO 8601. */
export type PersonFeedEvent =
  | { type: "state" | "contact" | "typing" }
  | { type: "visitor" | "person"; text: string; name?: string; at: string };

/** The feed of a hand-off as the dashboard's page follows it: with the visitor's messages. */
export function personFeedEncoder(): FeedEncoder {
  return {
    encode: (entry) => `id: ${entry.n}\n${eventOf(toEvent(entry))}`,
    typing: eventOf({ type: "typing" }),
  };
}

function eventOf(event: PersonFeedEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function toEvent(entry: NumberedEntry): PersonFeedEvent {
  const at = isoTime(entry.at);
  switch (entry.type) {
    case "visitor":
      return { type: "visitor", text: entry.text, at };
    case "person":
      return { type: "person", text: entry.text, name: entry.name, at };
    case "state":
    case "contact":
      return { type: entry.type };
    default:
      return entry satisfies never;
  }
}
