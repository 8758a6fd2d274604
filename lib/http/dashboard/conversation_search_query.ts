import { ANY_FAILURE, COST_THRESHOLDS } from "../../storage/conversation_index.ts";
import type { ConversationSearch } from "../../storage/conversation_search.ts";
import { addDays, isDay, orderDays } from "../../usage/day_range.ts";
import { RUN_FINISHES } from "../../usage/run_record.ts";
import { isUuid } from "../uuid_param.ts";

const FINISHES = [...RUN_FINISHES, ANY_FAILURE] as const;

/** The filters as the form of the page has them: what is no value of theirs is empty. */
export interface ConversationFilters {
  agentId: string;
  /** UTC days as `YYYY-MM-DD`, both included. */
  from: string;
  to: string;
  finish: string;
  /** Micro-USD, one of `COST_THRESHOLDS`. */
  cost: string;
}

/**
 * Filters from an address. One that nobody could have chosen is dropped, and the form shows that it is:
 * an old link should find something rather than an error.
 */
export function readFilters({ searchParams }: URL): ConversationFilters {
  const read = (name: string, isValid: (text: string) => boolean) => {
    const text = searchParams.get(name) ?? "";
    return isValid(text) ? text : "";
  };
  return {
    agentId: read("agentId", isUuid).toLowerCase(),
    ...orderDays({ from: read("from", isDay), to: read("to", isDay) }),
    finish: read("finish", (text) => FINISHES.some((one) => one === text)),
    cost: read("cost", (text) => COST_THRESHOLDS.some((step) => String(step) === text)),
  };
}

/** What the store is asked for them. */
export function toSearch(
  { agentId, from, to, finish, cost }: ConversationFilters,
): ConversationSearch {
  return {
    agentId: agentId || undefined,
    from: from === "" ? undefined : startOf(from),
    to: to === "" ? undefined : startOf(addDays(to, 1)),
    finish: FINISHES.find((one) => one === finish),
    minCost: COST_THRESHOLDS.find((step) => String(step) === cost),
  };
}

/** The address of the list with these filters; the empty ones are left out. */
export function filtersHref(filters: Partial<ConversationFilters>, cursor?: string): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  if (cursor !== undefined) query.set("cursor", cursor);
  return query.size === 0 ? "/conversations" : `/conversations?${query}`;
}

/** The address of the conversations behind a count of errors. */
export function errorsHref({ from, to }: { from: string; to: string }): string {
  return filtersHref({ from, to, finish: ANY_FAILURE });
}

/** The address of one conversation: its id alone may be another agent's or page's as well. */
export function conversationHref(
  { id, agentId, origin = "" }: { id: string; agentId: string; origin?: string | undefined },
  page = "",
): string {
  return `/conversations/${id}${page}?${new URLSearchParams({ agentId, origin })}`;
}

function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
