import { ApiError } from "../../errors.ts";
import { type DayRange, parseDayRange } from "../../usage/day_range.ts";
import { USAGE_GROUPS, type UsageGroup } from "../../usage/usage_sums.ts";

/** What a page of usage shows. */
export interface UsageQuery {
  range: DayRange;
  by: UsageGroup;
  /** What is wrong with the days that were asked for; the last 30 are shown instead. */
  issue?: string;
}

/** `?from&to&by`, as far as they can be meant. */
export function readUsageQuery({ searchParams }: URL, today: string): UsageQuery {
  const by = USAGE_GROUPS.find((group) => group === searchParams.get("by")) ?? "day";
  const asked = { from: searchParams.get("from") || null, to: searchParams.get("to") || null };
  try {
    return { range: parseDayRange(asked, today), by };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const range = parseDayRange({ from: null, to: null }, today);
    return {
      range,
      by,
      issue: "These are no days, are more than a year, or end before they begin.",
    };
  }
}
