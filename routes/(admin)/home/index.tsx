import { type Context, page } from "fresh";
import { AlertList } from "@/components/AlertList.tsx";
import { BarChart } from "@/components/charts/BarChart.tsx";
import { ErrorCount } from "@/components/ErrorCount.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { DescriptionList } from "@/components/DescriptionList.tsx";
import { formatCount, plural } from "@/lib/dashboard/format_amount.ts";
import { formatDay, formatLongDay } from "@/lib/dashboard/format_day.ts";
import { GettingStarted } from "@/components/GettingStarted.tsx";
import { LimitMeter } from "@/components/LimitMeter.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { UsageTable } from "@/components/usage/UsageTable.tsx";
import { readHomeAlerts } from "@/lib/services/home_alerts.ts";
import { errorsHref } from "@/lib/dashboard/conversation_filters.ts";
import { readHomeAdvice } from "@/lib/services/home_advice.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import { homeTrends, type Trend } from "@/lib/dashboard/usage/home_trends.ts";
import { describeChange, METRICS } from "@/lib/dashboard/usage/usage_metrics.ts";
import { rangeBefore } from "@/lib/dashboard/usage/usage_query.ts";
import { parseDayRange } from "@/lib/schemas/day_range.ts";
import type { UsageSummary } from "@/lib/billing/usage_report.ts";
import { define, type State } from "@/utils.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const { tenant, operator } = user;
    const now = service.runtime.now();
    const range = parseDayRange({ from: null, to: null }, dayOf(now));
    const [usage, before, storage] = await Promise.all([
      service.usage.summary(tenant, range),
      service.usage.totals(tenant, rangeBefore(range)),
      service.storage.read(tenant),
    ]);
    const isRequested = ctx.url.searchParams.has("setup");
    const { gettingStarted, visitorLimits } = await readHomeAdvice(user, service, {
      usage,
      isRequested,
    });
    const attention = await readHomeAlerts(tenant, service, {
      usage,
      storage,
      visitorLimits,
      untrustedHops: operator ? service.forwardedForCheck.suggestedHops : undefined,
      backups: operator ? await service.backups?.read() : undefined,
      now,
    });
    return page({
      ...{ usage, attention, now },
      trends: homeTrends(range, { usage: usage.range, before }),
      setup: gettingStarted && { steps: gettingStarted, operator, agent: await newestAgent(ctx) },
      editor: isEditor(user),
      operator,
    });
  },
});

const CHART_HEIGHT = 140;

/** To link its pages; the demo agent belongs to nobody's site. */
async function newestAgent({ state }: Context<State>): Promise<string | undefined> {
  const { agents, demoAgent } = state.service;
  const { data } = await agents.list(signedIn(state).tenant, { limit: 2 });
  return data.find(({ id }) => id !== demoAgent?.id)?.id;
}

export default define.page<typeof handler>(({ data, url }) => {
  const { usage, attention, trends, now, setup } = data;
  return (
    <div class="stack-large">
      <PageHeader title={t("Home")} text={t("{day} (UTC)", { day: formatLongDay(usage.day) })} />
      <PageNotice notice={flashMessageOf(url)} />
      {setup && <GettingStarted {...setup} canDismiss={data.editor} />}
      <AlertList items={attention} now={now} operator={data.operator} />
      <section class="stack-small" aria-labelledby="today">
        <h2 id="today">{t("Today")}</h2>
        <div class="card today">
          <LimitMeter {...usage} cost={usage.today.cost} now={now} />
          <TodaysFigures usage={usage} />
        </div>
      </section>
      <section class="stack-small" aria-labelledby="month">
        <h2 id="month">{t("Last 30 days")}</h2>
        {trends === undefined ? <NothingYet /> : <Month {...trends} />}
      </section>
    </div>
  );
});

/** A message is the visitor's input; its run is the agent's work on it, shown by outcome. */
function TodaysFigures(
  { usage: { day, today, activeStreams, maxStreams } }: { usage: UsageSummary },
) {
  const { runs, failed, inputTokens, outputTokens } = today;
  return (
    <DescriptionList
      of={{
        [t("Messages")]: formatCount(runs),
        [t("Runs succeeded")]: formatCount(runs - failed),
        [t("Runs failed")]: <ErrorCount count={failed} href={errorsHref({ from: day, to: day })} />,
        [t("Runs in progress")]: t("{activeStreams} of {maxStreams}", {
          activeStreams: formatCount(activeStreams),
          maxStreams: formatCount(maxStreams),
        }),
        [t("Input tokens")]: formatCount(inputTokens),
        [t("Output tokens")]: formatCount(outputTokens),
      }}
    />
  );
}

function NothingYet() {
  return (
    <EmptyState
      icon="usage"
      title={t("No chats yet")}
      text={t(
        "Charts of usage and cost appear here after the first message to one of your agents.",
      )}
    >
      <a class="button" href="/agents">{t("View agents")}</a>
    </EmptyState>
  );
}

function Month({ messages, cost, days }: NonNullable<ReturnType<typeof homeTrends>>) {
  return (
    <>
      <div class="charts">
        <TrendChart
          trend={messages}
          title={t("Messages")}
          sum={messages.failed === 0 ? formatCount(messages.sum) : t("{sum}, {failed} failed", {
            sum: formatCount(messages.sum),
            failed: formatCount(messages.failed),
          })}
          format={METRICS.runs}
          series={[t("Succeeded"), t("Failed")]}
        />
        <TrendChart
          trend={cost}
          title={t("Cost")}
          sum={METRICS.cost.exact(cost.sum)}
          format={METRICS.cost}
          series={[]}
        />
      </div>
      <details class="more">
        <summary>{t("Show as table")}</summary>
        <UsageTable
          caption={t("Usage by day, {count}", {
            count: plural(days.length, "{count} day", "{count} days"),
          })}
          heading={t("Day (UTC)")}
          rows={days.toReversed().map(({ day, usage }) => ({
            key: day,
            name: formatDay(day),
            usage,
          }))}
        />
      </details>
      <p class="help">
        {rich("See {link} for other days, and by agent, model and key.", {
          link: <a href="/usage">{t("Usage")}</a>,
        })}
      </p>
    </>
  );
}

function TrendChart(
  { trend, title, sum, format, series }: {
    trend: Trend;
    title: string;
    sum: string;
    format: typeof METRICS.cost;
    series: string[];
  },
) {
  const { bars, before } = trend;
  return (
    <BarChart
      {...{ bars, series, format: format.format, axis: format.axis }}
      title={t("{title} by day", { title })}
      errors={series.indexOf(t("Failed"))}
      height={CHART_HEIGHT}
      beforeLabel={t("{days} days before", { days: bars.length })}
      caption={
        <>
          <span class="chart-title">{title}</span>
          <span class="chart-sum">{sum}</span>
          <span class="chart-change">{describeChange(trend.sum, before, bars.length)}</span>
        </>
      }
    />
  );
}
