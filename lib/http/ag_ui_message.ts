import { v5 as namedUuid } from "uuid";
import type { AgUiInput, AgUiMessage } from "../schemas/ag_ui.ts";
import type { ChatBody } from "../schemas/chat.ts";
import { type ForeignMessage, textOf, toChatMessages } from "../schemas/foreign_messages.ts";
import { isUuid } from "./request_params.ts";

/** The same message in our own format. Throws 400 unless the last message is the user's. */
export function fromAgUi(
  input: AgUiInput,
  { agentId, sessionToken }: { agentId: string; sessionToken: string | undefined },
): ChatBody {
  return {
    agentId,
    messages: toChatMessages(input.messages.flatMap(wordsOf), { path: "messages" }),
    conversationId: conversationOfThread(input.threadId, agentId),
    ...sessionToken !== undefined && { sessionToken },
  };
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
