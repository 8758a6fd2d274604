import type { UsageGroup } from "../../billing/usage_totals.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { addDays, type DayRange, daysOf, parseDayRange } from "../../schemas/day_range.ts";
import { USAGE_METRICS, type UsageMetric } from "./usage_metrics.ts";
import { msg, t } from "../texts/translate.ts";

/** Lengths that the page offers, in days until today. */
export const PERIODS = [7, 30, 90] as const;
const DEFAULT_PERIOD = 30;

/** Ways to divide the usage, in the order of the page. */
export const GROUPS: readonly { by: UsageGroup; label: string }[] = [
  { by: "day", label: msg("Total") },
  { by: "agent", label: msg("By agent") },
  { by: "model", label: msg("By model") },
  { by: "key", label: msg("By API key") },
  { by: "protocol", label: msg("By protocol") },
];

export interface UsageQuery {
  range: DayRange;
  /** Days until today; undefined if the range was chosen by its dates. */
  period: number | undefined;
  by: UsageGroup;
  metric: UsageMetric;
  /** Why the requested days are invalid; the last 30 are shown instead. */
  issue?: string;
}

/** Reads `?days` or `?from&to`, `?by` and `?metric`; invalid values are replaced by defaults. */
export function readUsageQuery({ searchParams }: URL, today: string): UsageQuery {
  const by = GROUPS.find((group) => group.by === searchParams.get("by"))?.by ?? "day";
  const metric = USAGE_METRICS.find((one) => one === searchParams.get("metric")) ?? "cost";
  const from = searchParams.get("from") || null;
  const to = searchParams.get("to") || null;
  const last = (period: number) => ({
    range: { from: addDays(today, 1 - period), to: today },
    period,
  });
  if (from === null && to === null) {
    const days = Number(searchParams.get("days"));
    return { by, metric, ...last(PERIODS.find((period) => period === days) ?? DEFAULT_PERIOD) };
  }
  try {
    return { by, metric, range: parseDayRange({ from, to }, today), period: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const issue = t("Enter a start and an end date, at most one year apart.");
    return { by, metric, ...last(DEFAULT_PERIOD), issue };
  }
}

/** The address of a page about these days. */
export function usageHref(
  path: string,
  { range, period, by, metric }: Omit<UsageQuery, "issue">,
): string {
  const days = period === undefined ? { ...range } : { days: String(period) };
  return `${path}?${new URLSearchParams({ ...days, by, metric })}`;
}

/** As many days, directly before. */
export function rangeBefore({ from, to }: DayRange): DayRange {
  const length = daysOf({ from, to }).length;
  return { from: addDays(from, -length), to: addDays(from, -1) };
}
