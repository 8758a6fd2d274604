import { isDay, orderDays } from "../../schemas/day_range.ts";
import { GAP_REASONS, type GapReason } from "../../schemas/gap_reasons.ts";
import { UNANSWERED_STATES, type UnansweredState } from "../../schemas/unanswered.ts";
import { isUuid } from "../../http/request_params.ts";
import type { UnansweredFilter } from "../../services/unanswered/unanswered.ts";

/** As in the address; blank without a choice. */
export interface UnansweredFilters {
  agentId: string;
  reason: GapReason | "";
  state: UnansweredState | "all" | "";
  from: string;
  to: string;
}

/** What is invalid counts as blank. */
export function readUnansweredFilters({ searchParams }: URL): UnansweredFilters {
  const read = (name: string) => searchParams.get(name) ?? "";
  const day = (name: string) => isDay(read(name)) ? read(name) : "";
  const agentId = read("agentId").toLowerCase();
  return {
    agentId: isUuid(agentId) ? agentId : "",
    reason: GAP_REASONS.find((one) => one === read("reason")) ?? "",
    state: ([...UNANSWERED_STATES, "all"] as const).find((one) => one === read("state")) ?? "",
    ...orderDays({ from: day("from"), to: day("to") }),
  };
}

export function toFilter(
  { agentId, reason, state, from, to }: UnansweredFilters,
): UnansweredFilter {
  return {
    agentId: agentId || undefined,
    reason: reason || undefined,
    state: state || undefined,
    from: from || undefined,
    to: to || undefined,
  };
}

/** The list with these filters. */
export function unansweredHref(filters: UnansweredFilters, cursor?: string): string {
  const chosen = Object.entries(filters).filter(([, value]) => value !== "");
  const query = new URLSearchParams([
    ...chosen,
    ...cursor === undefined ? [] : [["cursor", cursor]],
  ]);
  return query.size === 0 ? "/unanswered" : `/unanswered?${query}`;
}
