import type { HandoffCause, HandoffRequester } from "../../schemas/handoff.ts";
import type { FeedEntry, HandoffHead } from "./handoff_record.ts";

/** What happens to a hand-off. Times in milliseconds. */
export type HandoffEvent =
  | {
    type: "request";
    by: HandoffRequester;
    reason?: string | undefined;
    /** False outside business hours. */
    isOpen: boolean;
    answerBy: number;
    form: boolean;
  }
  | { type: "take"; person: { id: string; name: string } }
  | { type: "say"; userId: string; text: string }
  | { type: "visitor"; texts: readonly string[]; runId: string }
  | { type: "return" | "close" }
  | { type: "contact"; email: string; message: string }
  /** Nobody answered in time. */
  | { type: "expire" }
  /** The agent's setting was removed. */
  | { type: "switch_off" };

/** What of a head changes, and what is added to the feed. */
export interface HandoffChange {
  head: Pick<
    HandoffHead,
    "state" | "cause" | "person" | "contact" | "by" | "form" | "requestedAt" | "answerBy"
  >;
  entries: readonly FeedEntry[];
}

/** Why an event does not apply, as the state that it met. */
export type HandoffConflict = { conflict: HandoffHead["state"] | "none" | "another_person" };

/** The same state again: nothing to store. */
export type HandoffUnchanged = { unchanged: true };

type Decision = HandoffChange | HandoffConflict | HandoffUnchanged;

/**
 * The state machine of a hand-off. A wait that is over counts as returned to the agent, so the result does
 * not depend on whether something has recorded that.
 */
export function decideHandoff(
  head: HandoffHead | undefined,
  event: HandoffEvent,
  now: number,
): Decision {
  if (head?.state === "waiting" && now >= head.answerBy && event.type !== "expire") {
    const expired = giveBack(head, "no_answer");
    const next = decideHandoff({ ...head, ...expired.head }, event, now);
    if (!("entries" in next)) return next;
    return { head: next.head, entries: [...expired.entries, ...next.entries] };
  }
  switch (event.type) {
    case "request":
      return request(head, event, now);
    case "take":
      if (head?.state !== "waiting") return conflict(head);
      return moved(head, { state: "taken", person: event.person });
    case "say":
      if (head?.state !== "taken") return conflict(head);
      if (head.person?.id !== event.userId) return { conflict: "another_person" };
      return {
        head: copyOf(head),
        entries: [{ type: "person", text: event.text, name: head.person.name }],
      };
    case "visitor": {
      if (head?.state !== "waiting" && head?.state !== "taken") return conflict(head);
      const { runId } = event;
      const entries = event.texts.map((text): FeedEntry => ({ type: "visitor", text, runId }));
      return { head: copyOf(head), entries };
    }
    case "return":
      if (head?.state !== "taken" && head?.state !== "waiting") return conflict(head);
      return moved(head, { state: "returned" });
    case "close":
      return close(head);
    case "contact": {
      if (head?.contact !== "open") return conflict(head);
      const { email, message } = event;
      const changed = { ...copyOf(head), contact: "left" as const };
      return { head: changed, entries: [{ type: "contact", email, message }] };
    }
    case "expire":
      if (head?.state !== "waiting" || now < head.answerBy) return { unchanged: true };
      return giveBack(head, "no_answer");
    case "switch_off":
      if (head?.state !== "waiting" && head?.state !== "taken") return { unchanged: true };
      return giveBack({ ...head, form: false }, "switched_off");
    default:
      return event satisfies never;
  }
}

function request(
  head: HandoffHead | undefined,
  { by, reason, isOpen, answerBy, form }: Extract<HandoffEvent, { type: "request" }>,
  now: number,
): Decision {
  if (head?.state === "waiting" || head?.state === "taken") return { unchanged: true };
  const asked = {
    ...{ by, form, requestedAt: now, answerBy },
    // Contact details that nobody has dealt with stay in the queue.
    contact: head?.contact === "left" ? "left" as const : "none" as const,
    ...head?.person && { person: head.person },
  };
  const why = { by, ...reason !== undefined && { reason } };
  if (isOpen) {
    const entry: FeedEntry = { type: "state", state: "waiting", ...why, form: false };
    return { head: { ...asked, state: "waiting" }, entries: [entry] };
  }
  const contact = form && asked.contact === "none" ? "open" as const : asked.contact;
  // Asking again outside business hours changes nothing that the visitor could see.
  const isSame = head?.cause === "outside_hours" && head.contact === contact;
  if (isSame) return { unchanged: true };
  const cause = "outside_hours" as const;
  const isAsked = contact === "open";
  const entry: FeedEntry = { type: "state", state: "returned", cause, ...why, form: isAsked };
  return { head: { ...asked, state: "returned", cause, contact }, entries: [entry] };
}

function close(head: HandoffHead | undefined): Decision {
  // Contact details that were left are dealt with by closing.
  if (head === undefined) return conflict(head);
  if (head.state === "closed" && head.contact !== "left") return { unchanged: true };
  return moved({ ...head, contact: "none" }, { state: "closed" });
}

function giveBack(head: HandoffHead, cause: HandoffCause): HandoffChange {
  const { cause: _before, ...rest } = copyOf(head);
  const contact = head.form && head.contact === "none" ? "open" as const : head.contact;
  const form = contact === "open";
  const entry: FeedEntry = { type: "state", state: "returned", cause, form };
  return { head: { ...rest, state: "returned", cause, contact }, entries: [entry] };
}

function moved(
  head: HandoffHead,
  { state, person = head.person }: Pick<HandoffHead, "state" | "person">,
): HandoffChange {
  const { cause: _cause, ...rest } = copyOf(head);
  const contact = head.contact === "open" ? "none" as const : head.contact;
  const name = person === undefined ? {} : { person: person.name };
  return {
    head: { ...rest, state, contact, ...person && { person } },
    entries: [{ type: "state", state, ...name, form: false }],
  };
}

function copyOf(head: HandoffHead): HandoffChange["head"] {
  const { state, cause, person, contact, by, form, requestedAt, answerBy } = head;
  return {
    ...{ state, contact, by, form, requestedAt, answerBy },
    ...cause && { cause },
    ...person && { person },
  };
}

function conflict(head: HandoffHead | undefined): HandoffConflict {
  return { conflict: head?.state ?? "none" };
}
