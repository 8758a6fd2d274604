import type { WaitsFor } from "../schemas/waiting_call.ts";

/** The name of a call that is none of a tool: the server of one asks the visitor something. */
export const QUESTION = "question";

/** Whom the calls of a tool wait for. */
export interface CallWait {
  for: WaitsFor;
  /** The longest wait in milliseconds; a minute by default. */
  timeoutMs?: number | undefined;
  /** The schema of a page's output. */
  output?: Readonly<Record<string, unknown>> | undefined;
}

export type CallAnswer =
  | { kind: "approved" }
  | { kind: "refused" }
  /** What a page sent. */
  | { kind: "output"; output: unknown }
  /** Why a page has no output. */
  | { kind: "failed"; message: string }
  /** There was no answer in time. */
  | { kind: "silence" }
  /** The run was stopped meanwhile. */
  | { kind: "stopped" };

/** A call that waits. */
export interface HeldCall {
  waitsFor: WaitsFor;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  answer: Promise<CallAnswer>;
}

/** Answers that the model gets as the call's output: the call is not made. */
const UNANSWERED = {
  refused: {
    code: "tool_refused",
    message: "the call was not allowed; do not make it again unasked",
  },
  silence: {
    code: "tool_not_approved_in_time",
    message: "the call was not approved in time, so it was not made",
  },
  stopped: { code: "tool_not_approved_in_time", message: "the run was stopped before the call" },
  noPage: { code: "tool_unavailable", message: "the user's page did not answer" },
  cannotAsk: {
    code: "tool_refused",
    message: "the call needs the user's approval, which cannot be asked for in this chat",
  },
} as const;

/** The output of a call that is not made; `undefined` if it is. */
export function outputWithoutCall(
  answer: CallAnswer,
  { for: waitsFor }: CallWait,
): { error: { code: string; message: string } } | undefined {
  switch (answer.kind) {
    case "approved":
    case "output":
      return undefined;
    case "refused":
      return { error: UNANSWERED.refused };
    case "failed":
      return { error: { code: "tool_failed", message: answer.message } };
    case "silence":
    case "stopped":
      return { error: waitsFor === "page" ? UNANSWERED.noPage : UNANSWERED[answer.kind] };
    default:
      return answer satisfies never;
  }
}

/** The output of a call that cannot wait: the chat could not show it, or it is `late`. */
export function outputWithoutWait({ for: waitsFor }: CallWait, late: boolean): {
  error: { code: string; message: string };
} {
  if (waitsFor === "page") return { error: UNANSWERED.noPage };
  return { error: late ? UNANSWERED.silence : UNANSWERED.cannotAsk };
}
