import { ApiError } from "../schemas/api_error.ts";
import type { OwnConversationStore } from "../store/conversations/own_conversation_store.ts";
import type { ConversationName } from "../store/keys/keys.ts";
import type { ConversationService } from "./conversation_service.ts";
import type { HandoffTranscripts } from "./handoff_transcripts.ts";

/** Runs in memory at a time; a page also ends after 4 MiB. */
const PAGE_SIZE = 20;

export interface ConversationLinesDeps {
  conversations: Pick<ConversationService, "get">;
  own: Pick<OwnConversationStore, "find" | "titleOf">;
  handoffs: Pick<HandoffTranscripts, "read">;
}

/** One line of an export. */
export function exportLine(value: { type: string } & Record<string, unknown>): string {
  return `${JSON.stringify(value)}\n`;
}

/** A line for a stored conversation, with its hand-off, followed by one for each of its runs. */
export async function* conversationLines(
  { conversations, own, handoffs }: ConversationLinesDeps,
  name: ConversationName,
): AsyncGenerator<string> {
  const { tenant, id, agentId } = name;
  const head = await own.find(name);
  if (head === undefined) return;
  const filter = { agentId, visitor: head.visitor?.hash ?? "", origin: head.origin ?? "" };
  let cursor: string | undefined;
  do {
    const found = await conversations
      .get(tenant, id, { filter, page: { limit: PAGE_SIZE, cursor } })
      .catch(undefinedIfDeleted);
    if (found === undefined) return;
    const { runs, nextCursor, handoff: latest, ...facts } = found;
    if (cursor === undefined) {
      const title = await own.titleOf(name, head);
      const handoff = latest && await handoffs.read(name, { all: true });
      yield exportLine({
        ...{ type: "conversation", ...title && { title }, ...handoff && { handoff } },
        ...facts,
      });
    }
    for (const run of runs) yield exportLine({ type: "run", conversationId: id, ...run });
    cursor = nextCursor;
  } while (cursor !== undefined);
}

/** A line for the hand-off of a conversation that is not stored. */
export async function* handoffLines(
  { handoffs }: Pick<ConversationLinesDeps, "handoffs">,
  name: ConversationName,
): AsyncGenerator<string> {
  const handoff = await handoffs.read(name, { all: true });
  const of = { conversationId: name.id, agentId: name.agentId };
  if (handoff !== undefined) yield exportLine({ type: "handoff", ...of, ...handoff });
}

/** Something may be deleted while the export runs. */
export function undefinedIfDeleted(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}
