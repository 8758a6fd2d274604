import { page } from "fresh";
import { ConversationFilters } from "@/components/ConversationFilters.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { HandoffQueue } from "@/components/handoff/HandoffQueue.tsx";
import { FilterChips } from "@/components/inbox/FilterChips.tsx";
import { InboxList } from "@/components/inbox/InboxList.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import InboxKeys from "@/islands/InboxKeys.tsx";
import { COST_OPTIONS, exportHref, isFiltered } from "@/lib/dashboard/conversation_filters.ts";
import { findConversationHref } from "@/lib/dashboard/find_conversation.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { readInbox } from "@/lib/dashboard/inbox/read_inbox.ts";
import { isUuid } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { searchParams } = ctx.url;
    const id = searchParams.get("id")?.trim() ?? "";
    const query = searchParams.get("q")?.trim() ?? "";
    const pasted = id === "" && isUuid(query) ? query : id;
    const href = pasted === "" ? undefined : await findConversationHref(ctx, pasted);
    if (href !== undefined) return ctx.redirect(href, 303);
    const inbox = await readInbox(ctx, ctx.url);
    // An invalid cursor from an old bookmark: show the first page.
    if (inbox === undefined) return ctx.redirect("/conversations", 303);
    return page({ inbox, missing: pasted !== "" });
  },
});

export default define.page<typeof handler>(({ data: { inbox, missing }, url }) => {
  const { rows, queue, approvals, filters, names, now, cutShort, isFirstPage } = inbox;
  const agents = [...names].map(([id, name]) => ({ id, name }));
  return (
    <div class="inbox-page">
      <PageHeader
        title={t("Conversations")}
        text={t("Messages between visitors and your agents, latest first.")}
      >
        {rows.length > 0 && (
          <>
            <a class="button" href={exportHref(filters, "csv")} download aria-current="false">
              {t("Export CSV")}
            </a>
            <a class="button" href={exportHref(filters, "jsonl")} download aria-current="false">
              {t("Export JSON Lines")}
            </a>
          </>
        )}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <HandoffQueue {...{ queue, approvals, names, now }} />
      <ConversationFilters filters={filters} agents={agents} costs={COST_OPTIONS} />
      <FilterChips filters={filters} names={names} />
      {missing && <p class="field-error">{t("No conversation or run has this ID.")}</p>}
      {rows.length === 0 && !cutShort
        ? (
          <Nothing
            isFiltered={isFiltered(filters) || !isFirstPage}
            keepingNothing={inbox.keepingNothing}
          />
        )
        : (
          <div class="inbox">
            <div class="inbox-pane">
              <InboxList inbox={inbox} />
            </div>
            <div class="inbox-hint">
              <p>{t("Choose a conversation to read it.")}</p>
              <p class="help">
                {rich("{kbd} opens the next one, {kbd2} the previous one.", {
                  kbd: <kbd>J</kbd>,
                  kbd2: <kbd>K</kbd>,
                })}
              </p>
            </div>
          </div>
        )}
      <InboxKeys />
    </div>
  );
});

function Nothing(
  { isFiltered, keepingNothing }: { isFiltered: boolean; keepingNothing: string | undefined },
) {
  if (keepingNothing !== undefined) {
    return (
      <EmptyState
        icon="conversations"
        title={t("This agent keeps no conversations")}
        text={t("It stores them for 0 days, so nothing of what is said can be read here.")}
      >
        <a class="button" href={`/agents/${keepingNothing}/model`} aria-current="false">
          {t("Model page of the agent")}
        </a>
      </EmptyState>
    );
  }
  return isFiltered
    ? (
      <EmptyState
        icon="conversations"
        title={t("No conversations match these filters")}
        text={t("Remove a filter, or choose a longer period.")}
      >
        <a class="button" href="/conversations" aria-current="false">{t("Clear filters")}</a>
      </EmptyState>
    )
    : (
      <EmptyState
        icon="conversations"
        title={t("No conversations yet")}
        text={t(
          "Conversations between visitors and your agents appear here. Your plan sets how long they are stored.",
        )}
      />
    );
}
