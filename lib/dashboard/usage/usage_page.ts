import type { UsageReports } from "../../billing/usage_report.ts";
import { sumTotals } from "../../billing/usage_totals.ts";
import { daysOf } from "../../schemas/day_range.ts";
import type { Usage } from "../../store/runs/usage_rows.ts";
import { type UsageChart, usageChart } from "./usage_chart.ts";
import { type NamedUsage, type UsageNameDeps, withUsageNames } from "./usage_names.ts";
import { rangeBefore, type UsageQuery } from "./usage_query.ts";

/** Rows shown; the download has all. */
const MAX_ROWS = 50;

/** What the usage page shows. */
export interface UsagePageData {
  query: UsageQuery;
  rows: NamedUsage[];
  /** There are more rows than shown. */
  hasMore: boolean;
  /** `days` is the number of days of the period. */
  chart: UsageChart & { days: number };
  sum: Usage;
  /** As many days, directly before. */
  before: Usage;
  /** Micro-USD. */
  dailyLimit: number;
}

export async function readUsagePage(
  tenant: string,
  query: UsageQuery,
  service: UsageNameDeps & { usage: Pick<UsageReports, "summary" | "totals" | "daily"> },
): Promise<UsagePageData> {
  const { range, by, metric } = query;
  const [{ range: sums, hardLimit }, before, days] = await Promise.all([
    service.usage.summary(tenant, range),
    service.usage.totals(tenant, rangeBefore(range)),
    service.usage.daily(tenant, range),
  ]);
  const max = by === "day" ? Infinity : MAX_ROWS;
  const rows = await withUsageNames({ sums, by, metric, max }, { ...service, tenant });
  return {
    query,
    rows,
    hasMore: sums[by].size > rows.length,
    chart: { ...usageChart(query, { days, before, rows }), days: daysOf(range).length },
    sum: sumTotals(sums.day),
    before: sumTotals(before.day),
    dailyLimit: hardLimit,
  };
}
