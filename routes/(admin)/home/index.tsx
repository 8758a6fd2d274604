import { type Context, page } from "fresh";
import { AlertList } from "@/components/AlertList.tsx";
import { DayChart, shortDay } from "@/components/DayChart.tsx";
import { ErrorCount } from "@/components/ErrorCount.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { DescriptionList } from "@/components/DescriptionList.tsx";
import {
  formatCompact,
  formatCount,
  formatMicroUsd,
  microUsdAxisFormat,
  plural,
} from "@/lib/dashboard/format_amount.ts";
import { GettingStarted } from "@/components/GettingStarted.tsx";
import { LimitMeter } from "@/components/LimitMeter.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { UsageTable } from "@/components/UsageTable.tsx";
import { readHomeAlerts } from "@/lib/services/home_alerts.ts";
import { errorsHref } from "@/lib/dashboard/conversation_filters.ts";
import { readHomeAdvice } from "@/lib/services/home_advice.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import { dailyUsage } from "@/lib/dashboard/usage_view.ts";
import { parseDayRange } from "@/lib/schemas/day_range.ts";
import type { UsageSummary } from "@/lib/billing/usage_report.ts";
import type { Usage } from "@/lib/store/runs/usage_rows.ts";
import { sumTotals } from "@/lib/billing/usage_totals.ts";
import { define, type State } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const { tenant, operator } = user;
    const now = service.runtime.now();
    const range = parseDayRange({ from: null, to: null }, dayOf(now));
    const [usage, storage] = await Promise.all([
      service.usage.summary(tenant, range),
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
      now,
    });
    const days = dailyUsage(usage.range, range);
    return page({
      ...{ usage, attention, days, now },
      setup: gettingStarted && { steps: gettingStarted, operator, agent: await newestAgent(ctx) },
      sum: sumTotals(usage.range.day),
      editor: isEditor(user),
    });
  },
});

/** To link its pages; the demo agent belongs to nobody's site. */
async function newestAgent({ state }: Context<State>): Promise<string | undefined> {
  const { agents, demoAgent } = state.service;
  const { data } = await agents.list(signedIn(state).tenant, { limit: 2 });
  return data.find(({ id }) => id !== demoAgent?.id)?.id;
}

export default define.page<typeof handler>(({ data, url }) => {
  const { usage, attention, days, sum, now, setup } = data;
  return (
    <div class="stack-large">
      <PageHeader title="Home" text={`${longDay(usage.day)} (UTC)`} />
      <PageNotice notice={flashMessageOf(url)} />
      {setup && <GettingStarted {...setup} canDismiss={data.editor} />}
      <AlertList items={attention} now={now} />
      <section class="stack-small" aria-labelledby="today">
        <h2 id="today">Today</h2>
        <div class="card today">
          <LimitMeter {...usage} cost={usage.today.cost} now={now} />
          <TodaysFigures usage={usage} />
        </div>
      </section>
      <section class="stack-small" aria-labelledby="month">
        <h2 id="month">Last 30 days</h2>
        {sum.runs === 0 ? <NothingYet /> : <Month days={days} sum={sum} />}
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
        "Messages": formatCount(runs),
        "Runs succeeded": formatCount(runs - failed),
        "Runs failed": <ErrorCount count={failed} href={errorsHref({ from: day, to: day })} />,
        "Runs in progress": `${formatCount(activeStreams)} of ${formatCount(maxStreams)}`,
        "Input tokens": formatCount(inputTokens),
        "Output tokens": formatCount(outputTokens),
      }}
    />
  );
}

function NothingYet() {
  return (
    <EmptyState
      icon="usage"
      title="No chats yet"
      text="Charts of usage and cost appear here after the first message to one of your agents."
    >
      <a class="button" href="/agents">View agents</a>
    </EmptyState>
  );
}

function Month({ days, sum }: { days: { day: string; usage: Usage }[]; sum: Usage }) {
  const values = (of: (usage: Usage) => number) =>
    days.map(({ day, usage }) => ({ day, value: of(usage) }));
  return (
    <>
      <div class="charts">
        <DayChart
          title="Cost"
          sum={formatMicroUsd(sum.cost)}
          days={values(({ cost }) => cost)}
          format={formatMicroUsd}
          axis={microUsdAxisFormat}
        />
        <DayChart
          title="Runs"
          sum={`${formatCount(sum.runs)}${
            sum.failed > 0 ? `, ${formatCount(sum.failed)} failed` : ""
          }`}
          days={days.map(({ day, usage }) => ({ day, value: usage.runs, part: usage.failed }))}
          format={formatCompact}
          partName="failed"
        />
        <DayChart
          title="Tokens"
          sum={formatCompact(sum.inputTokens + sum.outputTokens)}
          days={values(({ inputTokens, outputTokens }) => inputTokens + outputTokens)}
          format={formatCompact}
        />
      </div>
      <details class="more">
        <summary>Show as table</summary>
        <UsageTable
          caption={`Usage by day, ${plural(days.length, "day")}`}
          heading="Day (UTC)"
          rows={days.toReversed().map(({ day, usage }) => ({
            key: day,
            name: shortDay(day),
            usage,
          }))}
        />
      </details>
      <p class="help">
        See <a href="/usage">Usage</a> for other days, and by agent, model and key.
      </p>
    </>
  );
}

const dayNames = new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone: "UTC" });

function longDay(day: string): string {
  return dayNames.format(Date.parse(`${day}T00:00:00Z`));
}
