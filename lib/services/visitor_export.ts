import type { ConversationName, MemoryName } from "../store/keys/keys.ts";
import type { ContentCipher } from "../store/encryption/content_cipher.ts";
import { isoTime } from "../platform/runtime.ts";
import type { AttachmentStore } from "../store/attachments/attachment_store.ts";
import type { FeedbackStore } from "../store/feedback/feedback_store.ts";
import type { UnstoredRun, VisitorData } from "../store/visitors/visitor_data.ts";
import type { MemoryStore } from "../store/visitors/memory_store.ts";
import { visitorHash } from "../store/visitors/visitor_ids.ts";
import {
  conversationLines,
  type ConversationLinesDeps,
  exportLine,
  handoffLines,
} from "./conversation_lines.ts";
import { toFeedback } from "./feedback_service.ts";
import { toFact } from "./visitor_memories.ts";

interface VisitorExportDeps extends ConversationLinesDeps {
  data: Pick<
    VisitorData,
    "conversations" | "handoffs" | "attachments" | "memories" | "unstoredRuns"
  >;
  memories: Pick<MemoryStore, "list">;
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
      if (isNew(name)) yield* conversationLines(this.#deps, name);
    }
    for await (const name of data.handoffs(of)) {
      if (isNew(name)) yield* handoffLines(this.#deps, name);
    }
    for await (const id of data.attachments(of)) yield* this.#attachment(tenant, id);
    for await (const name of data.memories(of)) yield* this.#memory(name);
    for await (const run of data.unstoredRuns(of)) yield* this.#feedback(tenant, run);
  }

  async *#memory(name: MemoryName): AsyncGenerator<string> {
    const facts = await this.#deps.memories.list(name);
    if (facts?.length === 0) return;
    const found = facts === undefined ? { unreadable: true } : { facts: facts.map(toFact) };
    yield exportLine({ type: "memory", agentId: name.agentId, ...found });
  }

  /** Without the file: that is downloaded by its id, as long as it exists. */
  async *#attachment(tenant: string, id: string): AsyncGenerator<string> {
    const { attachments } = this.#deps;
    const record = await attachments.find(tenant, id);
    if (record === undefined) return;
    const { agentId, createdAt } = record;
    const described = await attachments.describe(tenant, record);
    yield exportLine({ type: "attachment", agentId, createdAt: isoTime(createdAt), ...described });
  }

  async *#feedback(
    tenant: string,
    { runId, agentId, conversationId }: UnstoredRun,
  ): AsyncGenerator<string> {
    const found = await this.#deps.feedback.get(tenant, runId);
    if (found === undefined) return;
    yield exportLine({ type: "feedback", runId, conversationId, agentId, ...toFeedback(found) });
  }
}
