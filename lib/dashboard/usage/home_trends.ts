import { type GroupedUsage, sumTotals } from "../../billing/usage_totals.ts";
import { type DayRange, daysOf } from "../../schemas/day_range.ts";
import { NO_USAGE, type Usage } from "../../store/runs/usage_rows.ts";
import type { Bar } from "../charts/bar_layout.ts";
import { formatDay } from "../format_day.ts";
import { rangeBefore } from "./usage_query.ts";

/** One chart of home. Cost in micro-USD. */
export interface Trend {
  sum: number;
  /** In as many days directly before. */
  before: number;
  bars: Bar[];
}

/** Messages, with failed ones apart, and cost of each day of `range`; undefined if nobody has chatted. */
export function homeTrends(
  range: DayRange,
  { usage, before }: { usage: GroupedUsage; before: GroupedUsage },
):
  | { messages: Trend & { failed: number }; cost: Trend; days: { day: string; usage: Usage }[] }
  | undefined {
  const sum = sumTotals(usage.day);
  if (sum.runs === 0) return undefined;
  const sumBefore = sumTotals(before.day);
  const days = daysOf(range).map((day) => ({ day, usage: usage.day.get(day) ?? NO_USAGE }));
  const earlier = daysOf(rangeBefore(range)).map((day) => before.day.get(day) ?? NO_USAGE);
  return {
    messages: {
      sum: sum.runs,
      failed: sum.failed,
      before: sumBefore.runs,
      bars: days.map(({ day, usage: { runs, failed } }, n) => ({
        ...{ label: formatDay(day), values: [runs - failed, failed], before: earlier[n]?.runs },
      })),
    },
    cost: {
      sum: sum.cost,
      before: sumBefore.cost,
      bars: days.map(({ day, usage: { cost } }, n) => ({
        ...{ label: formatDay(day), values: [cost], before: earlier[n]?.cost },
      })),
    },
    days,
  };
}
