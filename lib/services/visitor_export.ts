import { ApiError } from "../schemas/api_error.ts";
import type { OwnConversationStore } from "../store/conversations/own_conversation_store.ts";
import type { ConversationName } from "../store/keys/keys.ts";
import type { ContentCipher } from "../store/encryption/content_cipher.ts";
import type { VisitorData } from "../store/visitors/visitor_data.ts";
import { visitorHash } from "../store/visitors/visitor_ids.ts";
import type { ConversationService } from "./conversation_service.ts";

/** Runs in memory at a time; a page also ends after 4 MiB. */
const PAGE_SIZE = 20;

interface VisitorExportDeps {
  conversations: Pick<ConversationService, "get">;
  own: Pick<OwnConversationStore, "find" | "titleOf">;
  data: Pick<VisitorData, "conversations">;
  content: ContentCipher;
}

/** Everything that was said by and to a visitor, as lines of JSON. */
export class VisitorExport {
  readonly #deps: VisitorExportDeps;

  constructor(deps: VisitorExportDeps) {
    this.#deps = deps;
  }

  /**
   * A line for each conversation, followed by one for each of its runs. Of what was exported only the ids
   * are kept in memory. A conversation that is continued meanwhile is in it once.
   */
  async *lines(tenant: string, visitorId: string): AsyncGenerator<string> {
    const visitor = visitorHash(this.#deps.content, tenant, visitorId);
    const seen = new Set<string>();
    for await (const name of this.#deps.data.conversations({ tenant, visitor })) {
      const of = `${name.id} ${name.agentId} ${name.page}`;
      if (seen.has(of)) continue;
      seen.add(of);
      yield* this.#conversation(name, visitor);
    }
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
      const { runs, nextCursor, ...facts } = found;
      if (cursor === undefined) {
        const title = await own.titleOf(name, head);
        yield line({ type: "conversation", ...title && { title }, ...facts });
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
