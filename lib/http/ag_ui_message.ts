import { v5 as namedUuid } from "uuid";
import type { AgUiInput, AgUiMessage } from "../schemas/ag_ui.ts";
import type { ChatBody } from "../schemas/chat.ts";
import { type ForeignMessage, textOf, toChatMessages } from "../schemas/foreign_messages.ts";
import { CALL_BOUNDS } from "../schemas/limits.ts";
import type { AnsweredCalls } from "../schemas/waiting_call.ts";
import { isJsonObject, tryParseJson } from "../platform/json.ts";
import { isUuid } from "./request_params.ts";

/**
 * The same message in our own format, or the answers to calls of a run that waits. Throws 400 unless the
 * last message is the user's or such an answer.
 */
export function fromAgUi(
  input: AgUiInput,
  { agentId, sessionToken }: { agentId: string; sessionToken: string | undefined },
): ChatBody | AnsweredCalls {
  const sender = { agentId, ...sessionToken !== undefined && { sessionToken } };
  const calls = answersOf(input);
  if (calls.length > 0) return { ...sender, calls };
  return {
    agentId,
    messages: toChatMessages(input.messages.flatMap(wordsOf), { path: "messages" }),
    conversationId: conversationOfThread(input.threadId, agentId),
    ...sessionToken !== undefined && { sessionToken },
  };
}

/** The outputs of page tools after all other messages, and the answers to interrupts. */
function answersOf({ messages, resume }: AgUiInput): AnsweredCalls["calls"] {
  const last = messages.findLastIndex(({ role }) => role !== "tool");
  const outputs = messages.slice(last + 1).flatMap((one) =>
    one.role === "tool" ? outputOf(one) : []
  );
  const decisions = (resume ?? []).map(({ interruptId: id, status, payload }) => ({
    id,
    approve: status === "resolved" && isJsonObject(payload) && payload.approved === true,
  }));
  return [...decisions, ...outputs].slice(-CALL_BOUNDS.answers);
}

function outputOf(
  { toolCallId: id, content, error }: Extract<AgUiMessage, { role: "tool" }>,
): AnsweredCalls["calls"] {
  if (typeof id !== "string") return [];
  if (typeof error === "string") {
    return [{ id, error: error.slice(0, CALL_BOUNDS.errorLength) || "the tool failed" }];
  }
  const text = textOf(content);
  // The client's tools return text, which is JSON if they return anything else.
  const value = tryParseJson(text);
  return [{ id, output: (value === undefined ? text : value) as never }];
}

function wordsOf(one: AgUiMessage): ForeignMessage[] {
  switch (one.role) {
    case "user":
    case "assistant":
      return [{ role: one.role, text: textOf(one.content) }];
    case "system":
    case "developer":
      return [{ role: "instructions", text: textOf(one.content) }];
    default:
      return [];
  }
}

/** A thread's conversation: the thread itself, if it is a UUID. */
function conversationOfThread(threadId: string, agentId: string): string {
  return isUuid(threadId) ? threadId.toLowerCase() : namedUuid(threadId, agentId);
}
