import type { LiveRuns } from "../chat/live_runs.ts";
import type { RunInConversation } from "../chat/active_runs.ts";
import type { RunRegistry } from "../chat/run_registry.ts";
import { isoTime } from "../platform/runtime.ts";
import { ApiError } from "../schemas/api_error.ts";
import type { OwnConversation, OwnMessage, OwnTranscript } from "../schemas/own_conversation.ts";
import { type Conversation, conversationName } from "../store/conversations/conversation_record.ts";
import {
  type ConversationFilter,
  matchesFilter,
} from "../store/conversations/conversation_filter.ts";
import type { ConversationStore } from "../store/conversations/conversation_store.ts";
import { titleOf } from "../store/conversations/conversation_title.ts";
import type { OwnConversationStore } from "../store/conversations/own_conversation_store.ts";
import type { Session } from "../store/credentials/session_store.ts";
import type { ConversationName } from "../store/keys/keys.ts";
import type { Page, PageRequest } from "../store/values/page.ts";
import { answerSources } from "./answer_sources.ts";
import type { ConversationService } from "./conversation_service.ts";
import type { CursorSigner } from "./cursor_signer.ts";
import { type MarkedRun, markSuperseded } from "./mark_superseded.ts";

/** More than a session can have started. */
const ALL_RUNS = { from: 0, limit: 100 };

interface SessionConversationsDeps {
  conversations: Pick<ConversationService, "delete">;
  store: Pick<ConversationStore, "listRuns" | "readFirstRun">;
  own: OwnConversationStore;
  cursors: CursorSigner;
  runs: Pick<RunRegistry, "runsInConversation">;
  live: Pick<LiveRuns, "find">;
}

/**
 * The conversations of a session: those of its visitor with its agent on its page. A session without a visitor has
 * those that it began and that no other session has continued. Throws `ApiError` 404 for all others.
 */
export class SessionConversations {
  readonly #deps: SessionConversationsDeps;

  constructor(deps: SessionConversationsDeps) {
    this.#deps = deps;
  }

  /** Most recently active first. Empty without a visitor: nothing stored leads to its conversations. */
  async list(session: Session, request: PageRequest): Promise<Page<OwnConversation>> {
    const { tenant, agentId, visitor } = session;
    if (visitor === undefined) return { data: [] };
    const { page } = await nameOf(session, "");
    return await this.#deps.cursors.page(request, {
      list: `own conversations ${tenant} ${agentId} ${page}`,
      load: async (opened) => {
        const of = { ...opened, agentId, page, visitor: visitor.hash };
        const { data, ...rest } = await this.#deps.own.list(tenant, of);
        const shown = data.map((head) => this.#toOwn(tenant, head));
        return { ...rest, data: await Promise.all(shown) };
      },
    });
  }

  /** A conversation with the messages of a page of its runs. */
  async get(session: Session, id: string, page: PageRequest): Promise<OwnTranscript> {
    // Active runs first: one that ends in between is then part of the transcript.
    const { name, head, active } = await this.#find(session, id);
    const current = active.at(-1);
    const live = current && await this.#deps.live.find(session.tenant, current.runId);
    const replaces = live?.facts.replaces;
    const { data, nextCursor } = await this.#deps.cursors.page(page, {
      list: `own runs ${name.tenant} ${id} ${name.agentId} ${name.page}`,
      load: async ({ limit, cursor }) => {
        const { runs, next } = await this.#deps.store.listRuns(name, {
          limit,
          from: Number(cursor ?? 0),
        });
        const reread = () => this.#deps.own.find(name);
        const data = await markSuperseded(runs, { head, replacing: replaces?.n, reread });
        return next === undefined ? { data } : { data, nextCursor: String(next) };
      },
    });
    const messages = data.flatMap(toMessages);
    const isStored = data.some(({ row }) => row.runId === live?.facts.runId);
    const shown = nextCursor === undefined && !isStored ? live : undefined;
    if (head === undefined && shown === undefined) notFound();
    const createdAt = isoTime(shown?.facts.startedAt ?? 0);
    const question = shown && {
      ...{ role: "user" as const, content: shown.question },
      ...shown.attachments && { attachments: shown.attachments },
    };
    const facts = head === undefined
      ? { id, title: titleOf([question!]), createdAt, updatedAt: createdAt, messageCount: 0 }
      : await this.#toOwn(session.tenant, head);
    const of = replaces && { replaces: replaces.runId };
    return {
      ...facts,
      messages: shown && question
        ? [...messages, { ...question, runId: shown.facts.runId, createdAt, ...of }]
        : messages,
      ...shown && { activeRunId: shown.facts.runId },
      ...nextCursor !== undefined && { nextCursor },
    };
  }

  async rename(session: Session, id: string, title: string): Promise<OwnConversation> {
    const { name } = await this.#find(session, id);
    const renamed = await this.#deps.own.rename(name, title) ?? notFound();
    return await this.#toOwn(session.tenant, renamed);
  }

  /** Deletes a conversation as the tenant's API does, and cancels its active runs. */
  async delete(session: Session, id: string): Promise<void> {
    await this.#find(session, id);
    await this.#deps.conversations.delete(session.tenant, id, filterOf(session));
  }

  /** What the session has of this name: the stored conversation, its active runs, or both. */
  async #find(
    session: Session,
    id: string,
  ): Promise<{
    name: ConversationName;
    head: Conversation | undefined;
    active: RunInConversation[];
  }> {
    const { runs, own } = this.#deps;
    const filter = filterOf(session);
    const active = (await runs.runsInConversation(session.tenant, id))
      .filter((run) => matchesFilter(run, filter));
    const name = await nameOf(session, id);
    const head = await own.find(name);
    if (head === undefined && active.length === 0) notFound();
    if (session.visitor === undefined) {
      if (active.some(({ startedBy }) => startedBy !== session.id)) notFound();
      if (!await own.isOnlyOf(name, session.id)) notFound();
    }
    return { name, head, active };
  }

  async #toOwn(tenant: string, head: Conversation): Promise<OwnConversation> {
    const { id, agentId, page, createdAt, updatedAt } = head;
    const name = { tenant, id, agentId, page };
    const title = await this.#titleOf(name, head);
    return {
      id,
      ...title && { title },
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
      messageCount: head.messages ?? await this.#countMessages(name),
    };
  }

  async #titleOf(name: ConversationName, head: Conversation): Promise<string | undefined> {
    const { own, store } = this.#deps;
    if (head.title !== undefined) return await own.titleOf(name, head);
    const first = await store.readFirstRun(name, head);
    return first === undefined || first === "unreadable" ? undefined : titleOf(first.messages);
  }

  /** Without a visitor it is not stored. */
  async #countMessages(name: ConversationName): Promise<number> {
    const { runs } = await this.#deps.store.listRuns(name, ALL_RUNS);
    return runs.flatMap((run) => toMessages({ ...run, superseded: false }))
      .filter(({ claimed }) => !claimed).length;
  }
}

function nameOf(
  { tenant, agentId, origin, visitor }: Session,
  id: string,
): Promise<ConversationName> {
  return conversationName(id, { tenant, agentId, origin, visitor: visitor?.hash });
}

/** The conversations that a message of the session would continue. */
function filterOf({ agentId, origin, visitor }: Session): ConversationFilter {
  return { agentId, origin: origin ?? "", visitor: visitor?.hash ?? "" };
}

/** What the visitor saw of a run; nothing of one that cannot be decrypted. */
function toMessages({ row, transcript, superseded }: MarkedRun): OwnMessage[] {
  if (transcript === "unreadable") return [];
  const { runId, startedAt, endedAt, finishReason, replaces } = row;
  const branch = { ...replaces && { replaces }, ...superseded && { superseded } };
  const asked = transcript.messages.map((message): OwnMessage => {
    const { role, content, attachments, claimed } = message;
    return {
      ...{ role, content, runId, createdAt: isoTime(startedAt) },
      ...attachments && { attachments },
      ...claimed && { claimed },
      ...branch,
    };
  });
  if (transcript.text === "") return asked;
  const sources = answerSources(transcript.text, transcript.tools);
  const answer: OwnMessage = {
    ...{ role: "assistant", content: transcript.text, runId, createdAt: isoTime(endedAt) },
    ...sources.length > 0 && { sources },
    finishReason,
    ...branch,
  };
  return [...asked, answer];
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such conversation");
}
