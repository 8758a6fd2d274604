import { page } from "fresh";
import { BarChart } from "@/components/charts/BarChart.tsx";
import { DescriptionList } from "@/components/DescriptionList.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { ErrorCount } from "@/components/ErrorCount.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { StorageMeters } from "@/components/StorageMeters.tsx";
import { GroupTabs } from "@/components/usage/GroupTabs.tsx";
import { MetricTabs } from "@/components/usage/MetricTabs.tsx";
import { PeriodPicker } from "@/components/usage/PeriodPicker.tsx";
import { UsageTable } from "@/components/usage/UsageTable.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { conversationsHref, errorsHref } from "@/lib/dashboard/conversation_filters.ts";
import { formatCount, formatMicroUsd } from "@/lib/dashboard/format_amount.ts";
import { formatDay } from "@/lib/dashboard/format_day.ts";
import { readUsagePage, type UsagePageData } from "@/lib/dashboard/usage/usage_page.ts";
import { MAX_SERIES } from "@/lib/dashboard/usage/usage_chart.ts";
import { describeChange, METRICS } from "@/lib/dashboard/usage/usage_metrics.ts";
import type { NamedUsage } from "@/lib/dashboard/usage/usage_names.ts";
import { readUsageQuery, usageHref } from "@/lib/dashboard/usage/usage_query.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import type { UsageGroup } from "@/lib/billing/usage_totals.ts";
import { define } from "@/utils.ts";

const HEADINGS: Record<UsageGroup, string> = {
  day: "Day (UTC)",
  agent: "Agent",
  model: "Model",
  key: "API key",
};
const CHART_HEIGHT = 240;

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = signedIn(ctx.state);
    const query = readUsageQuery(ctx.url, dayOf(service.runtime.now()));
    const [data, storage] = await Promise.all([
      readUsagePage(tenant, query, service),
      service.storage.read(tenant),
    ]);
    return page({ ...data, query, storage });
  },
});

export default define.page<typeof handler>(({ data }) => {
  const { query, sum } = data;
  return (
    <>
      <PageHeader title="Usage" text="What your agents cost, and who uses them.">
        <a class="button" href={usageHref("/usage/csv", query)} download>Download CSV</a>
      </PageHeader>
      {query.issue && <Notice kind="error">{query.issue}</Notice>}
      <PeriodPicker query={query} />
      {sum.runs === 0
        ? (
          <EmptyState icon="usage" title="No usage" text="There were no runs in this period.">
            <a class="button" href="/usage" aria-current="false">Show last 30 days</a>
          </EmptyState>
        )
        : <Report {...data} />}
      <section class="stack-small usage-storage" aria-labelledby="storage">
        <h2 id="storage">Storage</h2>
        <StorageMeters figures={data.storage} />
      </section>
    </>
  );
});

function Report({ query, rows, chart, sum, before, hasMore, dailyLimit }: UsagePageData) {
  const { range, by, metric } = query;
  const { label, format, axis, value } = METRICS[metric];
  const title = chart.isWeekly ? `${label} by week` : `${label} by day`;
  const isLimited = metric === "cost" && !chart.isWeekly;
  return (
    <div class="stack">
      <MetricTabs query={query} sum={sum} />
      <BarChart
        title={title}
        {...{ format, axis, ...chart }}
        height={CHART_HEIGHT}
        beforeLabel={chart.days === 1 ? "Day before" : `${chart.days} days before`}
        limit={isLimited ? { value: dailyLimit, label: "Daily limit" } : undefined}
        caption={
          <>
            <div>
              <p class="chart-title">{title}</p>
              <p class="chart-change">
                {describeChange(value(sum), value(before), chart.days)}
              </p>
            </div>
            <GroupTabs query={query} />
          </>
        }
      />
      <p class="help">
        Days are in UTC: each begins at{" "}
        <time datetime={`${range.to}T00:00:00Z`} data-clock>00:00 UTC</time>.
      </p>
      <DescriptionList
        class="figures card"
        of={{
          Errors: <ErrorCount count={sum.failed} href={errorsHref(range)} />,
          "Input tokens": formatCount(sum.inputTokens),
          "Output tokens": formatCount(sum.outputTokens),
          "Average cost per run": formatMicroUsd(Math.round(sum.cost / Math.max(1, sum.runs))),
        }}
      />
      <UsageTable
        caption={`Usage by ${by}`}
        heading={HEADINGS[by]}
        rows={rows.map((row, n) => ({
          key: row.id,
          name: <Name row={row} by={by} />,
          usage: row.usage,
          series: by === "day" ? undefined : Math.min(n, MAX_SERIES),
        }))}
      />
      {hasMore && (
        <p class="help">
          {`Showing the first ${formatCount(rows.length)}. Download the CSV for all.`}
        </p>
      )}
    </div>
  );
}

function Name({ row: { id, name }, by }: { row: NamedUsage; by: UsageGroup }) {
  if (by === "day") return <>{formatDay(id)}</>;
  if (by !== "agent") return <>{name}</>;
  return <a href={conversationsHref({ agentId: id })}>{name === id ? "Deleted agent" : name}</a>;
}
