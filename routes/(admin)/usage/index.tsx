import { page } from "fresh";
import { DayChart } from "@/components/DayChart.tsx";
import { ErrorCount } from "@/components/ErrorCount.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { DescriptionList } from "@/components/DescriptionList.tsx";
import { formatCount, formatMicroUsd, microUsdAxisFormat } from "@/lib/dashboard/format_amount.ts";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { StorageMeters } from "@/components/StorageMeters.tsx";
import { UsageTable } from "@/components/UsageTable.tsx";
import { conversationsHref, errorsHref } from "@/lib/dashboard/conversation_filters.ts";
import {
  dailyUsage,
  type NamedUsage,
  readUsageQuery,
  type UsageQuery,
  withUsageNames,
} from "@/lib/dashboard/usage_view.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import type { DayRange } from "@/lib/schemas/day_range.ts";
import type { Usage } from "@/lib/store/runs/usage_rows.ts";
import { sumTotals, USAGE_GROUPS, type UsageGroup } from "@/lib/billing/usage_totals.ts";
import { define } from "@/utils.ts";

/** Rows shown; the download has all. */
const MOST_ROWS = 100;
const HEADINGS: Record<UsageGroup, string> = {
  day: "Day (UTC)",
  agent: "Agent",
  model: "Model",
  key: "API key",
};

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = signedIn(ctx.state);
    const query = readUsageQuery(ctx.url, dayOf(service.runtime.now()));
    const [{ range: sums }, storage] = await Promise.all([
      service.usage.summary(tenant, query.range),
      service.storage.read(tenant),
    ]);
    const max = query.by === "day" ? Infinity : MOST_ROWS;
    const rows = await withUsageNames({ sums, by: query.by, max }, { tenant, ...service });
    const days = dailyUsage(sums, query.range)
      .map(({ day, usage }) => ({ day, value: usage.cost }));
    return page({
      query,
      rows,
      days,
      sum: sumTotals(sums.day),
      more: sums[query.by].size > rows.length,
      storage,
    });
  },
});

export default define.page<typeof handler>(({ data }) => {
  const { query, rows, days, sum, more } = data;
  const { range, by, issue } = query;
  return (
    <>
      <PageHeader title="Usage" text="Runs, tokens and cost by UTC day.">
        <a class="button" href={usageHref("/usage/csv", query)} download>Download CSV</a>
      </PageHeader>
      {issue && <Notice kind="error">{issue}</Notice>}
      <RangeForm range={range} by={by} />
      {sum.runs === 0 ? <NothingUsed /> : (
        <div class="stack">
          <div class="charts charts-usage">
            <DescriptionList class="figures card" of={figures(sum, range)} />
            <DayChart
              title="Cost"
              sum={formatMicroUsd(sum.cost)}
              days={days}
              format={formatMicroUsd}
              axis={microUsdAxisFormat}
            />
          </div>
          <nav class="views" aria-label="Usage by">
            {USAGE_GROUPS.map((one) => (
              <a
                key={one}
                href={usageHref("/usage", { range, by: one })}
                aria-current={one === by ? "page" : "false"}
              >
                {`By ${one}`}
              </a>
            ))}
          </nav>
          <UsageTable
            caption={`Usage by ${by}`}
            heading={HEADINGS[by]}
            rows={rows.map((row) => ({
              key: row.id,
              name: <Name row={row} by={by} />,
              usage: row.usage,
            }))}
          />
          {more && (
            <p class="help">
              Showing the first {formatCount(rows.length)}. Download the CSV for all.
            </p>
          )}
        </div>
      )}
      <section class="stack-small usage-storage" aria-labelledby="storage">
        <h2 id="storage">Storage</h2>
        <StorageMeters figures={data.storage} />
      </section>
    </>
  );
});

function figures(sum: Usage, range: DayRange) {
  return {
    Cost: formatMicroUsd(sum.cost),
    Runs: formatCount(sum.runs),
    Errors: <ErrorCount count={sum.failed} href={errorsHref(range)} />,
    "Input tokens": formatCount(sum.inputTokens),
    "Output tokens": formatCount(sum.outputTokens),
    "Average cost per run": formatMicroUsd(Math.round(sum.cost / Math.max(1, sum.runs))),
  };
}

function Name({ row: { id, name }, by }: { row: NamedUsage; by: UsageGroup }) {
  if (by !== "agent") return <>{name}</>;
  return <a href={conversationsHref({ agentId: id })}>{name === id ? "Deleted agent" : name}</a>;
}

function RangeForm({ range, by }: { range: DayRange; by: UsageGroup }) {
  return (
    <form method="get" action="/usage" class="filters" aria-label="Days">
      <input type="hidden" name="by" value={by} />
      <div class="field">
        <label for="usage-from">From (UTC)</label>
        <input type="date" id="usage-from" name="from" value={range.from} />
      </div>
      <div class="field">
        <label for="usage-to">To (UTC)</label>
        <input type="date" id="usage-to" name="to" value={range.to} />
      </div>
      <div class="filter-actions">
        <button class="button" type="submit">Apply</button>
      </div>
    </form>
  );
}

function NothingUsed() {
  return (
    <EmptyState icon="usage" title="No usage" text="There were no runs in this period.">
      <a class="button" href="/usage" aria-current="false">Show last 30 days</a>
    </EmptyState>
  );
}

function usageHref(path: string, { range, by }: Pick<UsageQuery, "range" | "by">): string {
  return `${path}?${new URLSearchParams({ ...range, by })}`;
}
