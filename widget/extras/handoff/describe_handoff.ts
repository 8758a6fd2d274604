import type { Handoff } from "../../state.ts";
import {
  ASSISTANT_AGAIN,
  GO_ON_WRITING,
  HAS_ENDED,
  IS_TYPING,
  LEAVE_A_MESSAGE,
  LONGEST_WAIT,
  NOBODY_THERE,
  TALKING_TO,
  WE_WILL_WRITE,
} from "./handoff_ids.ts";

export interface DescribeOptions {
  readonly t: (id: number) => string;
  readonly lang: string;
  readonly isTyping: boolean;
}

/** Keeps a text in another direction apart: for screen readers it is part of the sentence. */
const isolate = (text: string | undefined) => `\u2068${text}\u2069`;

/** What visitors read of a hand-off. */
export function describeHandoff(
  { ["state"]: state, person, message, requestedAt, answerBy, form, email }: Handoff,
  { t, lang, isTyping }: DescribeOptions,
): string {
  const about = (id: number, name = person) => t(id).replace("$", () => isolate(name));
  if (state === "waiting") {
    const minutes = (Date.parse(answerBy!) - Date.parse(requestedAt!)) / 60_000;
    const wait = minutes.toLocaleString(lang, { style: "unit", unit: "minute" });
    return `${isolate(message)} ${t(GO_ON_WRITING)} ${
      minutes ? `${t(LONGEST_WAIT)}: ${wait}` : ""
    }`;
  }
  if (state === "taken") return about(isTyping ? IS_TYPING : TALKING_TO);
  if (email) return about(WE_WILL_WRITE, email);
  const end = person ? about(HAS_ENDED) : t(NOBODY_THERE);
  return `${end} ${t(form ? LEAVE_A_MESSAGE : ASSISTANT_AGAIN)}`;
}
