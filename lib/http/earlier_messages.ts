import { ApiError } from "../schemas/api_error.ts";
import type { ChatMessage } from "../schemas/chat.ts";
import type { ConversationRun } from "../schemas/conversation.ts";
import { FIELD_BOUNDS } from "../schemas/limits.ts";
import type { Service } from "./service.ts";

const PAGE_LENGTH = 100;
/** Longer conversations are not read again for each message. */
const MAX_RUNS = 1_000;

/**
 * The latest messages of a stored conversation between this agent and a backend, so that the last one
 * can be the next question. A visitor's conversation is not found: knowing its id must not be enough
 * to read it. With `untilRun`, the messages up to the answer of that run. Throws 404.
 */
export async function earlierMessages(
  { conversations }: Pick<Service, "conversations">,
  { tenant, agentId, conversationId, untilRun }: {
    tenant: string;
    agentId: string;
    conversationId: string;
    untilRun?: string;
  },
): Promise<ChatMessage[]> {
  const filter = { agentId, origin: "" };
  const runs: ConversationRun[] = [];
  let isWhole = untilRun === undefined;
  let cursor: string | undefined;
  do {
    const page = { limit: PAGE_LENGTH, cursor };
    const { source, runCount, ...found } = await conversations.get(tenant, conversationId, {
      filter,
      page,
    });
    if (source !== "api" || runCount > MAX_RUNS) {
      throw new ApiError("not_found", "there is no such conversation that can be continued");
    }
    runs.push(...found.runs);
    const last = found.runs.findIndex(({ runId }) => runId === untilRun);
    cursor = found.nextCursor;
    if (last < 0) continue;
    runs.splice(runs.length - found.runs.length + last + 1);
    isWhole = true;
    cursor = undefined;
  } while (cursor !== undefined);
  if (!isWhole) throw new ApiError("not_found", "the run is not in its conversation any more");
  const messages = runs.filter(({ text }) => text !== "").flatMap(toMessages)
    .slice(1 - FIELD_BOUNDS.messages);
  const first = messages.findIndex(({ role }) => role === "user");
  return first < 0 ? [] : messages.slice(first);
}

function toMessages({ messages, text }: ConversationRun): ChatMessage[] {
  const said = messages.map(({ role, content }) => ({ role, content }));
  return [...said, { role: "assistant", content: text }];
}
