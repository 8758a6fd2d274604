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
import { msg, rich, t } from "@/lib/dashboard/texts/translate.ts";

const HEADINGS: Record<UsageGroup, string> = {
  day: msg("Day (UTC)"),
  agent: msg("Agent"),
  model: msg("Model"),
  key: msg("API key"),
  protocol: msg("Protocol"),
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
      <PageHeader title={t("Usage")} text={t("What your agents cost, and who uses them.")}>
        <a class="button" href={usageHref("/usage/csv", query)} download>{t("Download CSV")}</a>
      </PageHeader>
      {query.issue && <Notice kind="error">{query.issue}</Notice>}
      <PeriodPicker query={query} />
      {sum.runs === 0
        ? (
          <EmptyState
            icon="usage"
            title={t("No usage")}
            text={t("There were no runs in this period.")}
          >
            <a class="button" href="/usage" aria-current="false">{t("Show last 30 days")}</a>
          </EmptyState>
        )
        : <Report {...data} />}
      <section class="stack-small usage-storage" aria-labelledby="storage">
        <h2 id="storage">{t("Quotas")}</h2>
        <StorageMeters figures={data.storage} />
      </section>
    </>
  );
});

function Report({ query, rows, chart, sum, before, hasMore, dailyLimit }: UsagePageData) {
  const { range, by, metric } = query;
  const { format, axis, value } = METRICS[metric];
  const label = t(METRICS[metric].label);
  const title = chart.isWeekly ? t("{label} by week", { label }) : t("{label} by day", { label });
  const isLimited = metric === "cost" && !chart.isWeekly;
  return (
    <div class="stack">
      <MetricTabs query={query} sum={sum} />
      <BarChart
        title={title}
        {...{ format, axis, ...chart }}
        height={CHART_HEIGHT}
        beforeLabel={chart.days === 1
          ? t("Day before")
          : t("{days} days before", { days: chart.days })}
        limit={isLimited ? { value: dailyLimit, label: t("Daily limit") } : undefined}
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
        {rich("Days are in UTC: each begins at {time}.", {
          time: <time datetime={`${range.to}T00:00:00Z`} data-clock>00:00 UTC</time>,
        })}
      </p>
      <DescriptionList
        class="figures card"
        of={{
          [t("Errors")]: <ErrorCount count={sum.failed} href={errorsHref(range)} />,
          [t("Input tokens")]: formatCount(sum.inputTokens),
          [t("Output tokens")]: formatCount(sum.outputTokens),
          [t("Average cost per run")]: formatMicroUsd(Math.round(sum.cost / Math.max(1, sum.runs))),
          [t("Read from caches")]: sum.cachedInputTokens && formatCount(sum.cachedInputTokens),
          [t("Written to caches")]: sum.cacheWriteTokens && formatCount(sum.cacheWriteTokens),
          [t("Saved by caching")]: sum.cacheSavings && formatMicroUsd(sum.cacheSavings),
          [t("Reasoning tokens")]: sum.reasoningTokens && formatCount(sum.reasoningTokens),
        }}
      />
      <UsageTable
        caption={t("Usage by {group}", { group: t(HEADINGS[by]) })}
        heading={t(HEADINGS[by])}
        rows={rows.map((row, n) => ({
          key: row.id,
          name: <Name row={row} by={by} />,
          usage: row.usage,
          series: by === "day" ? undefined : Math.min(n, MAX_SERIES),
        }))}
      />
      {hasMore && (
        <p class="help">
          {t("Showing the first {rows}. Download the CSV for all.", {
            rows: formatCount(rows.length),
          })}
        </p>
      )}
    </div>
  );
}

function Name({ row: { id, name }, by }: { row: NamedUsage; by: UsageGroup }) {
  if (by === "day") return <>{formatDay(id)}</>;
  if (by !== "agent") return <>{name}</>;
  return <a href={conversationsHref({ agentId: id })}>{name === id ? t("Deleted agent") : name}</a>;
}
