import type { RunRegistry } from "../chat/run_registry.ts";
import { toUsd } from "../billing/micro_usd.ts";
import { ApiError } from "../schemas/api_error.ts";
import {
  type Conversation as Stored,
  conversationName,
} from "../store/conversations/conversation_record.ts";
import {
  type ConversationFilter,
  matchesFilter,
} from "../store/conversations/conversation_filter.ts";
import type { ConversationStore } from "../store/conversations/conversation_store.ts";
import type {
  ConversationSearch,
  SearchCursor,
} from "../store/conversations/conversation_search.ts";
import type { Page, PageRequest } from "../store/values/page.ts";
import { isoTime } from "../platform/runtime.ts";
import type { RunRecord } from "../store/runs/run_record.ts";
import type { Conversation, ConversationRun, Transcript } from "../schemas/conversation.ts";
import { toFeedback } from "./feedback_service.ts";
import type { CursorSigner } from "./cursor_signer.ts";
import type { HandoffTranscripts } from "./handoff_transcripts.ts";
import { decodePosition, encodePosition } from "./encode_position.ts";
import { type MarkedRun, markSuperseded } from "./mark_superseded.ts";

/** A conversation with the unusual finish reasons of its runs. */
export type FoundConversation = Conversation & { ended: ConversationRun["finishReason"][] };

/** A tenant's conversations. Methods throw `ApiError`; 404 for one that the tenant does not have. */
export class ConversationService {
  #store: ConversationStore;
  #cursors: CursorSigner;
  #runs: Pick<RunRegistry, "runsInConversation" | "cancel">;
  #handoffs: Pick<HandoffTranscripts, "read">;

  constructor(
    store: ConversationStore,
    deps: {
      cursors: CursorSigner;
      runs: Pick<RunRegistry, "runsInConversation" | "cancel">;
      handoffs: Pick<HandoffTranscripts, "read">;
    },
  ) {
    this.#store = store;
    this.#cursors = deps.cursors;
    this.#runs = deps.runs;
    this.#handoffs = deps.handoffs;
  }

  /**
   * Most recently updated first, of one agent or one visitor if given; 400 for a cursor of another
   * list.
   */
  list(
    tenant: string,
    { agentId, visitorId, ...page }: PageRequest & {
      agentId?: string | undefined;
      visitorId?: string | undefined;
    },
  ): Promise<Page<Conversation>> {
    const of = visitorId === undefined ? agentId ?? "" : `of ${JSON.stringify(visitorId)}`;
    return this.#cursors.page(page, {
      list: `conversations ${tenant} ${of}`,
      load: async (opened) => {
        const filter = { agentId, visitorId };
        const { data, ...rest } = await this.#store.list(tenant, { ...opened, ...filter });
        return { ...rest, data: await this.#toConversations(tenant, data) };
      },
    });
  }

  /** Most recent first; `cutShort` if the search stopped early. */
  async search(
    tenant: string,
    search: ConversationSearch,
    page: PageRequest,
  ): Promise<Page<FoundConversation> & { cutShort: boolean }> {
    let cutShort = false;
    const list = `search ${tenant} ${JSON.stringify(Object.entries(search).sort())}`;
    const found = await this.#cursors.page(page, {
      list,
      load: async ({ limit, cursor }) => {
        const after = cursor === undefined ? undefined : decodePosition<SearchCursor>(cursor);
        const page = await this.#store.search(tenant, { search, limit, after });
        const { data: found, next } = page;
        cutShort = page.cutShort;
        const shown = await this.#toConversations(tenant, found);
        const data = shown.map((one, n) => ({ ...one, ended: finishReasonsOf(found[n]!) }));
        return next === undefined ? { data } : { data, nextCursor: encodePosition(next) };
      },
    });
    return { ...found, cutShort };
  }

  /** The records of runs, by their ids. */
  async records(tenant: string, runIds: readonly string[]): Promise<Map<string, RunRecord>> {
    return await this.#store.readRunRecords(tenant, runIds);
  }

  /** The conversation of a run; `undefined` if it has none or its record has expired. */
  async findByRun(
    tenant: string,
    runId: string,
  ): Promise<{ id: string; agentId: string } | undefined> {
    const run = (await this.#store.readRunRecords(tenant, [runId])).get(runId);
    return run && { id: run.conversationId, agentId: run.agentId };
  }

  /** A conversation with a page of its runs in the order they ended; the first has its hand-off. */
  async get(
    tenant: string,
    id: string,
    { filter, page }: { filter: ConversationFilter; page: PageRequest },
  ): Promise<Transcript> {
    const found = await this.#store.find(tenant, id, filter) ?? notFound();
    const name = { tenant, id, agentId: found.agentId, page: found.page };
    const { data, nextCursor } = await this.#cursors.page(page, {
      list: `runs ${tenant} ${id} ${found.agentId} ${found.page}`,
      load: async ({ limit, cursor }) => {
        const { runs, next } = await this.#store.listRuns(name, {
          limit,
          from: Number(cursor ?? 0),
        });
        const reread = () => this.#store.find(tenant, id, filter);
        const data = (await markSuperseded(runs, { head: found, reread })).map(toRun);
        return next === undefined ? { data } : { data, nextCursor: String(next) };
      },
    });
    const handoff = page.cursor === undefined ? await this.#handoffs.read(name) : undefined;
    return {
      ...await this.#toConversation(tenant, found),
      runs: data,
      ...handoff && { handoff },
      ...nextCursor !== undefined && { nextCursor },
    };
  }

  async #toConversation(tenant: string, stored: Stored): Promise<Conversation> {
    return toConversation(stored, await this.#store.readVisitorId(tenant, stored));
  }

  #toConversations(tenant: string, stored: readonly Stored[]): Promise<Conversation[]> {
    return Promise.all(stored.map((one) => this.#toConversation(tenant, one)));
  }

  /**
   * Deletes a conversation except its usage totals and cancels its active runs. A conversation can be
   * deleted from its first message on, even though nothing is readable before the first answer.
   */
  async delete(tenant: string, id: string, filter: ConversationFilter): Promise<void> {
    // Before reading the conversation: a run that ends in between is then part of it.
    const running = await this.#runs.runsInConversation(tenant, id);
    const wanted = this.#store.resolveFilter(tenant, filter);
    const stored = await this.#store.find(tenant, id, wanted);
    const found = stored && { ...stored, visitor: stored.visitor?.hash } ||
      running.find((run) => matchesFilter(run, wanted)) || notFound();
    const { agentId, origin, visitor } = found;
    // A visitor's conversation is the same on all pages.
    const place = visitor === undefined ? { origin: origin ?? "" } : {};
    const exact = { agentId, ...place, visitor: visitor ?? "" };
    const runIds = running.filter((run) => matchesFilter(run, exact)).map(({ runId }) => runId);
    await this.#store.delete(await conversationName(id, { ...found, tenant }), runIds);
    for (const runId of runIds) await this.#runs.cancel(tenant, runId);
  }
}

function finishReasonsOf({ ended = {} }: Stored): FoundConversation["ended"] {
  return Object.keys(ended) as FoundConversation["ended"];
}

function toConversation(stored: Stored, visitorId: string | undefined): Conversation {
  const { id, agentId, origin, source } = stored;
  return {
    id,
    agentId,
    ...(origin === undefined ? {} : { origin }),
    ...(source === undefined ? {} : { source }),
    ...(visitorId === undefined ? {} : { visitorId }),
    createdAt: isoTime(stored.createdAt),
    updatedAt: isoTime(stored.updatedAt),
    expiresAt: isoTime(stored.exp),
    runCount: stored.runs,
    costUsd: toUsd(stored.cost),
  };
}

function toRun({ row, transcript, feedback, superseded }: MarkedRun): ConversationRun {
  const { v: _v, words: _w, parts: _p, bytes: _b, exp: _e, ...fields } = row;
  const { cost, startedAt, endedAt, ...rest } = fields;
  const times = { startedAt: isoTime(startedAt), endedAt: isoTime(endedAt) };
  const rated = feedback && { feedback: toFeedback(feedback) };
  const marked = superseded && { superseded };
  const known = { ...rest, ...times, costUsd: toUsd(cost), ...marked, ...rated };
  if (transcript === "unreadable") {
    return { ...known, messages: [], text: "", toolCalls: [], unreadable: true };
  }
  const { tools, layout: _layout, ...words } = transcript;
  return { ...known, ...words, toolCalls: tools };
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such conversation");
}
