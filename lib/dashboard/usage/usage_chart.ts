import type { DayTotals } from "../../billing/usage_aggregator.ts";
import type { GroupedUsage } from "../../billing/usage_totals.ts";
import { NO_USAGE } from "../../store/runs/usage_rows.ts";
import { daysOf } from "../../schemas/day_range.ts";
import type { Bar } from "../charts/bar_layout.ts";
import { formatDay, formatDays } from "../format_day.ts";
import { METRICS } from "./usage_metrics.ts";
import type { NamedUsage } from "./usage_names.ts";
import { rangeBefore, type UsageQuery } from "./usage_query.ts";
import { t } from "../texts/translate.ts";

/** Groups with a colour of their own; the others share one. */
export const MAX_SERIES = 6;
/** More bars would be too thin to point at, so longer ranges are shown by week. */
const MAX_DAILY_BARS = 92;

export interface UsageChart {
  /** Names, from the foot of the bars up; empty if they are not divided. */
  series: string[];
  bars: Bar[];
  isWeekly: boolean;
}

/**
 * The chart of a query. `rows` are the groups, the largest first; `days` and `before` are the usage of
 * the range and of the one before.
 */
export function usageChart(
  { range, by, metric }: UsageQuery,
  { days, before, rows }: {
    days: readonly DayTotals[];
    before: GroupedUsage;
    rows: readonly NamedUsage[];
  },
): UsageChart {
  const { value } = METRICS[metric];
  const top = by === "day" ? [] : rows.slice(0, MAX_SERIES);
  const hasOthers = by !== "day" && rows.length > top.length;
  const totals = new Map(days.map(({ day, totals }) => [day, totals]));
  const valuesOf = (day: string): number[] => {
    const ofDay = totals.get(day);
    const all = value(ofDay?.day.get(day) ?? NO_USAGE);
    if (by === "day") return [all];
    const shown = top.map(({ id }) => value(ofDay?.[by].get(id) ?? NO_USAGE));
    const rest = Math.max(0, all - shown.reduce((total, one) => total + one, 0));
    return hasOthers ? [...shown, rest] : shown;
  };
  const shownDays = daysOf(range);
  const earlier = daysOf(rangeBefore(range));
  const isWeekly = shownDays.length > MAX_DAILY_BARS;
  const bars = inGroupsOf(isWeekly ? 7 : 1, shownDays).map((part, n): Bar => {
    const size = isWeekly ? 7 : 1;
    const compared = earlier.slice(n * size, n * size + part.length);
    return {
      label: part.length === 1 ? formatDay(part[0]!) : formatDays(part[0]!, part.at(-1)!),
      values: part.map(valuesOf).reduce((a, b) => a.map((one, i) => one + b[i]!)),
      before: compared.reduce((all, day) => all + value(before.day.get(day) ?? NO_USAGE), 0),
    };
  });
  const names = top.map(({ id, name }) =>
    by === "agent" && name === id ? t("Deleted agent") : name
  );
  const series = hasOthers ? [...names, t("Other")] : names;
  return { series, bars, isWeekly };
}

function inGroupsOf(size: number, days: readonly string[]): string[][] {
  return Array.from(
    { length: Math.ceil(days.length / size) },
    (_, n) => days.slice(n * size, (n + 1) * size),
  );
}
