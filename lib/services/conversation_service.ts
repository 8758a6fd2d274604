import type { RunRegistry } from "../chat/run_registry.ts";
import { toUsd } from "../billing/money.ts";
import { ApiError } from "../schemas/api_error.ts";
import {
  type Conversation as Stored,
  conversationName,
} from "../store/conversations/conversation_record.ts";
import {
  type ConversationFilter,
  type ConversationStore,
  matchesFilter,
  type RunWithTranscript,
} from "../store/conversations/conversation_store.ts";
import type {
  ConversationSearch,
  SearchCursor,
} from "../store/conversations/conversation_search.ts";
import type { ConversationName } from "../store/keys/keys.ts";
import type { Page, PageRequest } from "../store/values/page.ts";
import { isoTime } from "../platform/runtime.ts";
import type { RunRecord } from "../store/runs/run_record.ts";
import type { Conversation, ConversationRun, Transcript } from "../schemas/conversation.ts";
import type { CursorSigner } from "./cursor_signer.ts";

/** With how runs of it ended, where that was not as usual. */
export interface FoundConversation extends Conversation {
  ended: ConversationRun["finishReason"][];
}

/** Conversations as their tenant handles them. Throws `ApiError`: 404 for one it does not have. */
export class ConversationService {
  #store: ConversationStore;
  #cursors: CursorSigner;
  #runs: Pick<RunRegistry, "runsInConversation" | "cancel">;

  constructor(
    store: ConversationStore,
    parts: { cursors: CursorSigner; runs: Pick<RunRegistry, "runsInConversation" | "cancel"> },
  ) {
    this.#store = store;
    this.#cursors = parts.cursors;
    this.#runs = parts.runs;
  }

  /** Those last added to first; 400 for a cursor that this list did not give out. */
  list(
    tenant: string,
    { agentId, ...page }: PageRequest & { agentId?: string | undefined },
  ): Promise<Page<Conversation>> {
    return this.#cursors.page(page, {
      list: `conversations ${tenant} ${agentId ?? ""}`,
      load: async (opened) => {
        const { data, ...rest } = await this.#store.list(tenant, { ...opened, agentId });
        return { ...rest, data: data.map(toConversation) };
      },
    });
  }

  /** Those that are searched for, the latest first; `cutShort` where the search may find more. */
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
        const after = cursor === undefined ? undefined : decodePosition(cursor);
        const { data, next, ...rest } = await this.#store.search(tenant, { search, limit, after });
        cutShort = rest.cutShort;
        const told = data.map((one) => ({ ...toConversation(one), ended: finishReasonsOf(one) }));
        return next === undefined
          ? { data: told }
          : { data: told, nextCursor: encodePosition(next) };
      },
    });
    return { ...found, cutShort };
  }

  /** What else is known of runs, by their ids. */
  async records(tenant: string, runIds: readonly string[]): Promise<Map<string, RunRecord>> {
    return await this.#store.readRunRecords(tenant, runIds);
  }

  /** The conversation of a run; `undefined` for one that has none, or is forgotten. */
  async findByRun(
    tenant: string,
    runId: string,
  ): Promise<{ id: string; agentId: string } | undefined> {
    const run = (await this.#store.readRunRecords(tenant, [runId])).get(runId);
    return run && { id: run.conversationId, agentId: run.agentId };
  }

  /** A conversation with a page of its runs, in the order they ended. */
  async get(
    tenant: string,
    id: string,
    { filter, page }: { filter: ConversationFilter; page: PageRequest },
  ): Promise<Transcript> {
    const found = await this.#store.find(tenant, id, filter) ?? notFound();
    const name = nameOf(tenant, found);
    const { data, nextCursor } = await this.#cursors.page(page, {
      list: `runs ${tenant} ${id} ${found.agentId} ${found.page}`,
      load: async ({ limit, cursor }) => {
        const { runs, next } = await this.#store.listRuns(name, {
          limit,
          from: Number(cursor ?? 0),
        });
        const data = runs.map(toRun);
        return next === undefined ? { data } : { data, nextCursor: String(next) };
      },
    });
    const rest = nextCursor === undefined ? {} : { nextCursor };
    return { ...toConversation(found), runs: data, ...rest };
  }

  /**
   * Removes everything of it but sums of usage; a run that goes on in it is cancelled. It is there to be
   * deleted from its first message on, though there is nothing to be read before that has been answered.
   */
  async delete(tenant: string, id: string, filter: ConversationFilter): Promise<void> {
    // Before it is looked for: what ends meanwhile is found as a part of it.
    const running = await this.#runs.runsInConversation(tenant, id);
    const found = await this.#store.find(tenant, id, filter) ??
      running.find((run) => matchesFilter(run, filter)) ?? notFound();
    const of = { agentId: found.agentId, origin: found.origin ?? "" };
    const runIds = running.filter((run) => matchesFilter(run, of)).map(({ runId }) => runId);
    await this.#store.delete(await conversationName(id, { ...found, tenant }), runIds);
    for (const runId of runIds) await this.#runs.cancel(tenant, runId);
  }
}

/** As text that an address can hold. */
function encodePosition(position: SearchCursor): string {
  const bytes = new TextEncoder().encode(JSON.stringify(position));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Its signature was checked: it is one of ours. */
function decodePosition(cursor: string): SearchCursor {
  const bytes = Uint8Array.fromBase64(cursor, { alphabet: "base64url" });
  return JSON.parse(new TextDecoder().decode(bytes));
}

function nameOf(tenant: string, { id, agentId, page }: Stored): ConversationName {
  return { tenant, id, agentId, page };
}

function finishReasonsOf({ ended = {} }: Stored): FoundConversation["ended"] {
  return Object.keys(ended) as FoundConversation["ended"];
}

function toConversation(stored: Stored): Conversation {
  const { id, agentId, origin } = stored;
  return {
    id,
    agentId,
    ...(origin === undefined ? {} : { origin }),
    createdAt: isoTime(stored.createdAt),
    updatedAt: isoTime(stored.updatedAt),
    expiresAt: isoTime(stored.exp),
    runCount: stored.runs,
    costUsd: toUsd(stored.cost),
  };
}

function toRun({ row, transcript }: RunWithTranscript): ConversationRun {
  const { v: _v, words: _w, parts: _p, bytes: _b, exp: _e, ...told } = row;
  const { cost, startedAt, endedAt, ...facts } = told;
  const times = { startedAt: isoTime(startedAt), endedAt: isoTime(endedAt) };
  const known = { ...facts, ...times, costUsd: toUsd(cost) };
  if (transcript === "unreadable") {
    return { ...known, messages: [], text: "", toolCalls: [], unreadable: true };
  }
  const { tools, ...said } = transcript;
  return { ...known, ...said, toolCalls: tools };
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such conversation");
}
