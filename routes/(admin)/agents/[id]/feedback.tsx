import { page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { BarChart } from "@/components/charts/BarChart.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { RatingsTable } from "@/components/usage/RatingsTable.tsx";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { conversationsHref } from "@/lib/dashboard/conversation_filters.ts";
import { formatCount, formatPercent } from "@/lib/dashboard/format_amount.ts";
import { feedbackTrend, percentUp } from "@/lib/dashboard/usage/feedback_trend.ts";
import { rangeBefore } from "@/lib/dashboard/usage/usage_query.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import { parseDayRange } from "@/lib/schemas/day_range.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const CHART_HEIGHT = 200;

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { feedback, runtime } = ctx.state.service;
    const user = signedIn(ctx.state);
    const range = parseDayRange({ from: null, to: null }, dayOf(runtime.now()));
    const of = { agentId: agent.id };
    const [counts, before] = await Promise.all([
      feedback.counts(user.tenant, { ...of, range }),
      feedback.counts(user.tenant, { ...of, range: rangeBefore(range) }),
    ]);
    const trend = feedbackTrend(range, counts.days);
    return page({ agent, range, trend, before: percentUp(before), editor: isEditor(user) });
  },
});

export default define.page<typeof handler>(({ data }) => {
  const { agent, range, trend: { sum, bars, days }, before, editor } = data;
  const share = percentUp(sum);
  const links = { agentId: agent.id, ...range };
  return (
    <>
      <AgentHeader agent={agent} tab="feedback" editor={editor} />
      {share === undefined
        ? (
          <EmptyState
            icon="conversations"
            title={t("No ratings in the last {days} days", { days: days.length })}
            text={t("Visitors rate answers in the widget, and clients with the API.")}
          >
            <a class="button" href={conversationsHref({ agentId: agent.id })} aria-current="false">
              {t("Read conversations")}
            </a>
          </EmptyState>
        )
        : (
          <div class="stack">
            <BarChart
              title={t("Share rated up by day")}
              series={[]}
              bars={bars}
              height={CHART_HEIGHT}
              format={formatPercent}
              caption={
                <>
                  <span class="chart-title">{t("Share rated up")}</span>
                  <span class="chart-sum">{formatPercent(share)}</span>
                  <span class="chart-change">
                    {before === undefined
                      ? t("No ratings in the previous {days} days", { days: days.length })
                      : t("{share} in the previous {days} days", {
                        share: formatPercent(before),
                        days: days.length,
                      })}
                  </span>
                </>
              }
            />
            <p class="feedback-links">
              <a href={conversationsHref({ ...links, rating: "up" })} aria-current="false">
                {t("{count} rated up", { count: formatCount(sum.up) })}
              </a>
              <a href={conversationsHref({ ...links, rating: "down" })} aria-current="false">
                {t("{count} rated down", { count: formatCount(sum.down) })}
              </a>
              <a href={conversationsHref({ ...links, rating: "comment" })} aria-current="false">
                {t("Read comments")}
              </a>
            </p>
            <RatingsTable days={days} />
            <p class="help">
              {t(
                "A rating counts on the day (UTC) its answer ended. It still counts when its conversation has expired.",
              )}
            </p>
          </div>
        )}
    </>
  );
});
