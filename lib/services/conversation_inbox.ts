import { toUsd } from "../billing/micro_usd.ts";
import type { LiveRun, LiveRuns } from "../chat/live_runs.ts";
import { cutText } from "../platform/cut_text.ts";
import { isoTime } from "../platform/runtime.ts";
import type { ConversationRun } from "../schemas/conversation.ts";
import type { ConversationSource } from "../schemas/conversation_source.ts";
import type { Rating } from "../schemas/rating.ts";
import type { Conversation } from "../store/conversations/conversation_record.ts";
import type {
  ConversationSearch,
  SearchCursor,
} from "../store/conversations/conversation_search.ts";
import {
  type ConversationFilter,
  matchesFilter,
} from "../store/conversations/conversation_filter.ts";
import type { ConversationStore } from "../store/conversations/conversation_store.ts";
import type { FailedRun, FailedRunCursor } from "../store/conversations/failed_runs.ts";
import type { MatchCursor } from "../store/search/search_index.ts";
import type { SnippetPart } from "../store/search/search_snippet.ts";
import { conversationSource, isFailed } from "../store/runs/run_record.ts";
import type { Page, PageRequest } from "../store/values/page.ts";
import type { CursorSigner } from "./cursor_signer.ts";
import { decodePosition, encodePosition } from "./encode_position.ts";
import type { WordSearch } from "./word_search.ts";

/** How the last run ended; `live` while one is being answered. */
export type Outcome = ConversationRun["finishReason"] | "live";

/** One line of the inbox: a conversation, or one of its failed runs. */
export interface InboxRow {
  id: string;
  agentId: string;
  origin?: string | undefined;
  /** The hash of its visitor's id, to tell it from others' conversations with the same id. */
  visitor?: string | undefined;
  source?: ConversationSource | undefined;
  runCount: number;
  costUsd: number;
  /** The last activity, or when the failed run ended. */
  at: string;
  /** The first line of the question; absent if it is gone or cannot be decrypted. */
  question?: string | undefined;
  outcome: Outcome;
  /** How answers of the conversation are rated; absent for a row about one run. */
  ratings?: Rating[] | undefined;
  /** Where the words of a search were said. */
  snippet?: SnippetPart[] | undefined;
  /** The run that the row is about. */
  run?: { runId: string; errorCode?: ConversationRun["errorCode"] } | undefined;
}

export interface InboxSearch extends ConversationSearch {
  /** Words that were said; blank for any. */
  query?: string | undefined;
}

export type InboxPage = Page<InboxRow> & { cutShort: boolean };

/** Characters of a question in the list. */
const MAX_QUESTION_LENGTH = 160;

/** The list of conversations as people read it: with the question and the outcome. */
export class ConversationInbox {
  readonly #store: ConversationStore;
  readonly #cursors: CursorSigner;
  readonly #live: Pick<LiveRuns, "list" | "find">;
  readonly #words: Pick<WordSearch, "find">;

  constructor(
    store: ConversationStore,
    { cursors, live, words }: {
      cursors: CursorSigner;
      live: Pick<LiveRuns, "list" | "find">;
      words: Pick<WordSearch, "find">;
    },
  ) {
    this.#words = words;
    this.#store = store;
    this.#cursors = cursors;
    this.#live = live;
  }

  /**
   * The matching conversations, latest first. With a filter for failures, each failed run is a row of its
   * own, so that a count of failed runs is the number of rows. With words, each run in which they were
   * said is one.
   */
  async list(tenant: string, search: InboxSearch, page: PageRequest): Promise<InboxPage> {
    let cutShort = false;
    const name = kindOf(search);
    const found = await this.#cursors.page(page, {
      list: `${name} ${tenant} ${JSON.stringify(Object.entries(search).sort())}`,
      load: async ({ limit, cursor }) => {
        const options = { search, limit };
        const rows = await this.#load(name, tenant, { ...options, cursor });
        cutShort = rows.cutShort;
        return rows;
      },
    });
    return { ...found, cutShort };
  }

  /** The runs that are being answered now, as rows. */
  async live(
    tenant: string,
    { agentId, source }: Pick<ConversationSearch, "agentId" | "source">,
  ): Promise<InboxRow[]> {
    const rows = (await this.#live.list(tenant)).map(toLiveRow);
    return rows.filter((row) =>
      (agentId === undefined || row.agentId === agentId) &&
      (source === undefined || row.source === source)
    );
  }

  /** The live runs of one conversation, oldest first. */
  async liveRuns(tenant: string, id: string, filter: ConversationFilter): Promise<LiveRun[]> {
    const all = await this.#live.list(tenant);
    return all.reverse().filter(({ facts, origin }) =>
      facts.conversationId === id && matchesFilter({ ...facts, origin }, filter)
    );
  }

  findLive(tenant: string, runId: string): Promise<LiveRun | undefined> {
    return this.#live.find(tenant, runId);
  }

  #load(kind: ListKind, tenant: string, options: LoadOptions): Promise<InboxPage> {
    switch (kind) {
      case "words":
        return this.#foundRuns(tenant, options);
      case "failed runs":
        return this.#failedRuns(tenant, options);
      case "inbox":
        return this.#conversations(tenant, options);
      default:
        return kind satisfies never;
    }
  }

  async #foundRuns(tenant: string, { cursor, ...options }: LoadOptions): Promise<InboxPage> {
    const after = cursor === undefined ? undefined : decodePosition<MatchCursor>(cursor);
    const found = await this.#words.find(tenant, { ...options, after });
    const data = found.data.map(({ conversation, row, transcript, snippet }): InboxRow => ({
      ...toRow(conversation),
      at: isoTime(row.endedAt),
      question: questionIn(transcript),
      outcome: row.finishReason,
      snippet,
      run: { runId: row.runId, errorCode: row.errorCode },
    }));
    return toPage(data, found);
  }

  async #conversations(tenant: string, options: LoadOptions): Promise<InboxPage> {
    const { cursor, ...search } = options;
    const after = cursor === undefined ? undefined : decodePosition<SearchCursor>(cursor);
    const found = await this.#store.search(tenant, { ...search, after });
    const data = await Promise.all(found.data.map(async (head) => ({
      ...toRow(head),
      question: await this.#firstQuestion(tenant, head),
      outcome: lastOutcome(head),
      ratings: this.#store.ratingsOf(head),
    })));
    return toPage(data, found);
  }

  async #failedRuns(tenant: string, options: LoadOptions): Promise<InboxPage> {
    const { cursor, ...search } = options;
    const after = cursor === undefined ? undefined : decodePosition<FailedRunCursor>(cursor);
    const found = await this.#store.searchFailedRuns(tenant, { ...search, after });
    const data = await Promise.all(found.data.map(async ({ conversation, row }) => ({
      ...toRow(conversation),
      at: isoTime(row.endedAt),
      question: await this.#questionOf(tenant, row),
      outcome: row.finishReason,
      run: { runId: row.runId, errorCode: row.errorCode },
    })));
    return toPage(data, found);
  }

  async #firstQuestion(tenant: string, head: Conversation): Promise<string | undefined> {
    const name = { tenant, id: head.id, agentId: head.agentId, page: head.page };
    return questionIn(await this.#store.readFirstRun(name, head));
  }

  async #questionOf(tenant: string, row: FailedRun["row"]): Promise<string | undefined> {
    const transcript = await this.#store.readTranscript(tenant, row);
    return transcript && questionIn(transcript);
  }
}

type ListKind = "inbox" | "failed runs" | "words";

function kindOf({ query, finish }: InboxSearch): ListKind {
  if (query !== undefined && query !== "") return "words";
  return finish !== undefined && (finish === "failed" || isFailed(finish))
    ? "failed runs"
    : "inbox";
}

interface LoadOptions {
  search: InboxSearch;
  limit: number;
  cursor: string | undefined;
}

function toPage(
  data: InboxRow[],
  { next, cutShort }: { next?: readonly unknown[]; cutShort: boolean },
): InboxPage {
  return next === undefined
    ? { data, cutShort }
    : { data, cutShort, nextCursor: encodePosition(next) };
}

function questionIn(
  transcript: Awaited<ReturnType<ConversationStore["readTranscript"]>>,
): string | undefined {
  if (transcript === undefined || transcript === "unreadable") return undefined;
  return firstLine(transcript.messages.find(({ claimed }) => !claimed)?.content ?? "");
}

function firstLine(text: string): string {
  const line = text.split("\n").map((one) => one.trim()).find((one) => one !== "") ?? "";
  return line.length > MAX_QUESTION_LENGTH ? `${cutText(line, 0, MAX_QUESTION_LENGTH)}…` : line;
}

/** The rare finish whose time is that of the last update; otherwise the last run was answered. */
function lastOutcome({ ended = {}, updatedAt }: Conversation): Outcome {
  const last = Object.entries(ended).find(([, at]) => at >= updatedAt);
  return last === undefined ? "stop" : last[0] as Outcome;
}

function toRow(head: Conversation): Omit<InboxRow, "outcome" | "question"> {
  const { id, agentId, origin, source, runs, cost, updatedAt } = head;
  const of = { id, agentId, origin, visitor: head.visitor?.hash, source };
  return { ...of, runCount: runs, costUsd: toUsd(cost), at: isoTime(updatedAt) };
}

function toLiveRow({ facts, origin, question }: LiveRun): InboxRow {
  const { conversationId: id, agentId, visitor, runId, startedAt } = facts;
  return {
    ...{
      id,
      agentId,
      origin,
      visitor,
      source: conversationSource(facts.source),
      runCount: 0,
      costUsd: 0,
    },
    ...{ at: isoTime(startedAt), question: firstLine(question), outcome: "live", run: { runId } },
  };
}
