import {
  ANY_FAILURE,
  COST_THRESHOLDS,
  RATING_FILTERS,
} from "../store/conversations/conversation_index.ts";
import type { InboxSearch } from "../services/conversation_inbox.ts";
import { addDays, isDay, orderDays } from "../schemas/day_range.ts";
import { CONVERSATION_SOURCES } from "../schemas/conversation_source.ts";
import { RUN_FINISHES } from "../store/runs/run_record.ts";
import { cutText } from "../platform/cut_text.ts";
import { isUuid } from "../http/request_params.ts";

export const COST_OPTIONS: readonly number[] = COST_THRESHOLDS;
const FINISH_VALUES = [...RUN_FINISHES, ANY_FAILURE] as const;

/** The filters of the conversations page; a blank one does not filter. */
export interface ConversationFilters {
  agentId: string;
  /** UTC days, `YYYY-MM-DD`, inclusive. */
  from: string;
  to: string;
  finish: string;
  /** Micro-USD, one of `COST_THRESHOLDS`. */
  cost: string;
  source: string;
  /** One of `RATING_FILTERS`. */
  rating: string;
  /** Words that were said. */
  q: string;
}

/** Characters of a search for words. */
export const MAX_QUERY_LENGTH = 200;

/** Reads the filters; unknown values are ignored, so that an old link still works. */
export function readConversationFilters({ searchParams }: URL): ConversationFilters {
  const read = (name: string, isValid: (text: string) => boolean) => {
    const text = searchParams.get(name) ?? "";
    return isValid(text) ? text : "";
  };
  return {
    agentId: read("agentId", isUuid).toLowerCase(),
    ...orderDays({ from: read("from", isDay), to: read("to", isDay) }),
    finish: read("finish", (text) => FINISH_VALUES.some((value) => value === text)),
    cost: read("cost", (text) => COST_THRESHOLDS.some((step) => String(step) === text)),
    source: read("source", (text) => CONVERSATION_SOURCES.some((value) => value === text)),
    rating: read("rating", (text) => RATING_FILTERS.some((value) => value === text)),
    q: cutText((searchParams.get("q") ?? "").trim(), 0, MAX_QUERY_LENGTH),
  };
}

export function isFiltered(filters: ConversationFilters): boolean {
  return Object.values(filters).some((value) => value !== "");
}

export function toConversationSearch(
  { agentId, from, to, finish, cost, source, rating, q }: ConversationFilters,
): InboxSearch {
  return {
    agentId: agentId || undefined,
    from: from === "" ? undefined : Date.parse(from),
    to: to === "" ? undefined : Date.parse(addDays(to, 1)),
    finish: FINISH_VALUES.find((value) => value === finish),
    minCost: COST_THRESHOLDS.find((step) => String(step) === cost),
    source: CONVERSATION_SOURCES.find((value) => value === source),
    rating: RATING_FILTERS.find((value) => value === rating),
    query: q || undefined,
  };
}

export function conversationsHref(filters: Partial<ConversationFilters>, cursor?: string): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  if (cursor !== undefined) query.set("cursor", cursor);
  return query.size === 0 ? "/conversations" : `/conversations?${query}`;
}

/** The URL of an export of what the list with these filters shows. */
export function exportHref(filters: Partial<ConversationFilters>, format: "csv" | "jsonl"): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  query.set("format", format);
  return `/conversations/export?${query}`;
}

export function errorsHref({ from, to }: { from: string; to: string }): string {
  return conversationsHref({ from, to, finish: ANY_FAILURE });
}

/** The URL of a row of the list, which the page shows beside the conversation. */
export function inboxRowHref(
  row: {
    id: string;
    agentId: string;
    origin?: string | undefined;
    visitor?: string | undefined;
    run?: { runId: string } | undefined;
  },
  list: string,
): string {
  const href = conversationHref(row) + (list === "" ? "" : `&${new URLSearchParams({ list })}`);
  return row.run === undefined ? href : `${href}#run-${row.run.runId}`;
}

/** The URL of a conversation; several agents, origins or visitors may share its id. */
export function conversationHref(
  { id, agentId, origin = "", visitor }: {
    id: string;
    agentId: string;
    origin?: string | undefined;
    /** The hash of the visitor's id. */
    visitor?: string | undefined;
  },
  page = "",
): string {
  const query = new URLSearchParams({ agentId, origin });
  if (visitor !== undefined) query.set("visitor", visitor);
  return `/conversations/${id}${page}?${query}`;
}

/** The URL of the conversation that a page shows, whose URL says which one it is. */
export function openConversationHref(
  conversation: { id: string; agentId: string; origin?: string | undefined },
  url: URL,
  page = "",
): string {
  const visitor = url.searchParams.get("visitor") ?? undefined;
  return conversationHref({ ...conversation, visitor }, page);
}
