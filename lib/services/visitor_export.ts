import { ApiError } from "../schemas/api_error.ts";
import type { OwnConversationStore } from "../store/conversations/own_conversation_store.ts";
import type { ConversationName, MemoryName } from "../store/keys/keys.ts";
import type { ContentCipher } from "../store/encryption/content_cipher.ts";
import { isoTime } from "../platform/runtime.ts";
import type { AttachmentStore } from "../store/attachments/attachment_store.ts";
import type { FeedbackStore } from "../store/feedback/feedback_store.ts";
import type { UnstoredRun, VisitorData } from "../store/visitors/visitor_data.ts";
import type { MemoryStore } from "../store/visitors/memory_store.ts";
import { visitorHash } from "../store/visitors/visitor_ids.ts";
import type { ConversationService } from "./conversation_service.ts";
import { toFeedback } from "./feedback_service.ts";
import type { HandoffTranscripts } from "./handoff_transcripts.ts";
import { toFact } from "./visitor_memories.ts";

/** Runs in memory at a time; a page also ends after 4 MiB. */
const PAGE_SIZE = 20;

interface VisitorExportDeps {
  conversations: Pick<ConversationService, "get">;
  own: Pick<OwnConversationStore, "find" | "titleOf">;
  data: Pick<
    VisitorData,
    "conversations" | "handoffs" | "attachments" | "memories" | "unstoredRuns"
  >;
  memories: Pick<MemoryStore, "list">;
  handoffs: Pick<HandoffTranscripts, "read">;
  attachments: Pick<AttachmentStore, "find" | "describe">;
  feedback: Pick<FeedbackStore, "get">;
  content: ContentCipher;
}

/** Everything that the service has of a visitor, as lines of JSON. */
export class VisitorExport {
  readonly #deps: VisitorExportDeps;

  constructor(deps: VisitorExportDeps) {
    this.#deps = deps;
  }

  /**
   * A line for each conversation, followed by one for each of its runs; then the hand-offs of conversations
   * that are not stored, the files, what agents remember, and the feedback on runs without a conversation. Of what was exported
   * only the ids are kept in memory. A conversation that is continued meanwhile is in it once.
   */
  async *lines(tenant: string, visitorId: string): AsyncGenerator<string> {
    const of = { tenant, visitor: visitorHash(this.#deps.content, tenant, visitorId) };
    const { data } = this.#deps;
    const seen = new Set<string>();
    const isNew = ({ id, agentId, page }: ConversationName) => {
      const { size } = seen;
      return seen.add(`${id} ${agentId} ${page}`).size > size;
    };
    for await (const name of data.conversations(of)) {
      if (isNew(name)) yield* this.#conversation(name, of.visitor);
    }
    for await (const name of data.handoffs(of)) {
      if (isNew(name)) yield* this.#handoff(name);
    }
    for await (const id of data.attachments(of)) yield* this.#attachment(tenant, id);
    for await (const name of data.memories(of)) yield* this.#memory(name);
    for await (const run of data.unstoredRuns(of)) yield* this.#feedback(tenant, run);
  }

  async *#handoff(name: ConversationName): AsyncGenerator<string> {
    const handoff = await this.#deps.handoffs.read(name, { all: true });
    const of = { conversationId: name.id, agentId: name.agentId };
    if (handoff !== undefined) yield line({ type: "handoff", ...of, ...handoff });
  }

  async *#memory(name: MemoryName): AsyncGenerator<string> {
    const facts = await this.#deps.memories.list(name);
    if (facts?.length === 0) return;
    const found = facts === undefined ? { unreadable: true } : { facts: facts.map(toFact) };
    yield line({ type: "memory", agentId: name.agentId, ...found });
  }

  /** Without the file: that is downloaded by its id, as long as it exists. */
  async *#attachment(tenant: string, id: string): AsyncGenerator<string> {
    const { attachments } = this.#deps;
    const record = await attachments.find(tenant, id);
    if (record === undefined) return;
    const { agentId, createdAt } = record;
    const described = await attachments.describe(tenant, record);
    yield line({ type: "attachment", agentId, createdAt: isoTime(createdAt), ...described });
  }

  async *#feedback(
    tenant: string,
    { runId, agentId, conversationId }: UnstoredRun,
  ): AsyncGenerator<string> {
    const found = await this.#deps.feedback.get(tenant, runId);
    if (found === undefined) return;
    yield line({ type: "feedback", runId, conversationId, agentId, ...toFeedback(found) });
  }

  async *#conversation(name: ConversationName, visitor: string): AsyncGenerator<string> {
    const { conversations, own } = this.#deps;
    const { tenant, id, agentId } = name;
    const head = await own.find(name);
    if (head === undefined) return;
    const filter = { agentId, visitor, origin: head.origin ?? "" };
    let cursor: string | undefined;
    do {
      const found = await conversations
        .get(tenant, id, { filter, page: { limit: PAGE_SIZE, cursor } })
        .catch(undefinedIfDeleted);
      if (found === undefined) return;
      const { runs, nextCursor, handoff: latest, ...facts } = found;
      if (cursor === undefined) {
        const title = await own.titleOf(name, head);
        const handoff = latest && await this.#deps.handoffs.read(name, { all: true });
        const optional = { ...title && { title }, ...handoff && { handoff } };
        yield line({ type: "conversation", ...optional, ...facts });
      }
      for (const run of runs) yield line({ type: "run", conversationId: id, ...run });
      cursor = nextCursor;
    } while (cursor !== undefined);
  }
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** A conversation may be deleted while the export runs. */
function undefinedIfDeleted(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}
