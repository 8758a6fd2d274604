import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { UnansweredFilterForm } from "@/components/unanswered/UnansweredFilterForm.tsx";
import { UnansweredList } from "@/components/unanswered/UnansweredList.tsx";
import { loadAgentChoices, loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import {
  readUnansweredFilters,
  toFilter,
  unansweredHref,
} from "@/lib/dashboard/unanswered/unanswered_filters.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const PAGE_LENGTH = 25;

export const handler = define.handlers({
  async GET(ctx) {
    const { agents, runtime, unanswered } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const filters = readUnansweredFilters(ctx.url);
    const cursor = ctx.url.searchParams.get("cursor") ?? undefined;
    try {
      const groups = await unanswered
        .list(tenant, toFilter(filters), { limit: PAGE_LENGTH, cursor });
      const names = await loadAgentNames(groups.data.map(({ agentId }) => agentId), {
        ...{ tenant, agents },
      });
      const choices = await loadAgentChoices(agents, { tenant, chosen: filters.agentId });
      return page({ groups, names, filters, cursor, choices: choices.agents, now: runtime.now() });
    } catch (error) {
      // An invalid cursor from an old bookmark: show the first page.
      if (!(error instanceof ApiError)) throw error;
      return ctx.redirect(unansweredHref(filters), 303);
    }
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { groups, names, filters, cursor, choices, now } = data;
  const isFiltered = unansweredHref(filters) !== "/unanswered";
  return (
    <>
      <PageHeader
        title={t("Unanswered")}
        text={t(
          "What visitors asked without getting a good answer, the most frequent first. Write the answer, and ask again to see that it helps.",
        )}
      />
      <PageNotice notice={flashMessageOf(url)} />
      <UnansweredFilterForm filters={filters} agents={choices} />
      {groups.data.length > 0
        ? <UnansweredList groups={groups.data} names={names} now={now} />
        : (
          <EmptyState
            icon="unanswered"
            title={isFiltered ? t("No questions match") : t("No unanswered questions")}
            text={t(
              "Questions appear here if the agent's knowledge base has no answer, or if an answer is rated down or handed off.",
            )}
          />
        )}
      {(cursor !== undefined || groups.nextCursor) && (
        <nav class="pager" aria-label={t("Pages")}>
          {cursor !== undefined && (
            <a class="button" href={unansweredHref(filters)} aria-current="false">
              {t("Most frequent")}
            </a>
          )}
          {groups.nextCursor && (
            <a
              class="button"
              href={unansweredHref(filters, groups.nextCursor)}
              aria-current="false"
            >
              {t("Less frequent")}
            </a>
          )}
        </nav>
      )}
    </>
  );
});
