import { isoTime } from "../../platform/runtime.ts";
import type { FeedFrame } from "../../schemas/handoff.ts";
import type { NumberedEntry } from "../../store/handoffs/handoff_record.ts";
import type { FeedEncoder } from "../feed_response.ts";

/** The frames of a visitor's feed, with ids to resume after. The visitor's own messages are not sent. */
export function visitorFeedEncoder(conversationId: string): FeedEncoder {
  return {
    encode(entry) {
      const frame = toFrame(entry);
      return frame && `id: ${conversationId}.${entry.n}\n${eventOf(frame)}`;
    },
    // Without an id: it is not stored.
    typing: eventOf({ type: "typing" }),
  };
}

function eventOf(frame: FeedFrame): string {
  return `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
}

function toFrame(entry: NumberedEntry): FeedFrame | undefined {
  switch (entry.type) {
    case "state": {
      const { state, cause, person, form } = entry;
      return { type: "state", state, ...cause && { cause }, ...person && { person }, form };
    }
    case "person":
      return { type: "message", text: entry.text, person: entry.name, at: isoTime(entry.at) };
    case "visitor":
    case "contact":
      return undefined;
    default:
      return entry satisfies never;
  }
}
