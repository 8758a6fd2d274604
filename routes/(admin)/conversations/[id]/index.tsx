import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ConversationFacts } from "@/components/inbox/ConversationFacts.tsx";
import { FilterChips } from "@/components/inbox/FilterChips.tsx";
import { InboxList } from "@/components/inbox/InboxList.tsx";
import { LiveRunCard } from "@/components/inbox/LiveRunCard.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { RunCard } from "@/components/RunCard.tsx";
import InboxKeys from "@/islands/InboxKeys.tsx";
import { conversationHref, conversationsHref } from "@/lib/dashboard/conversation_filters.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { readOpenConversation } from "@/lib/dashboard/inbox/read_open_conversation.ts";
import { readInboxBeside } from "@/lib/dashboard/inbox/read_inbox.ts";
import { loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const conversation = await readOpenConversation(ctx);
    if (conversation === undefined) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    const { transcript } = conversation;
    const runIds = transcript.runs.map(({ runId }) => runId);
    const [records, names, inbox] = await Promise.all([
      service.conversations.records(user.tenant, runIds),
      loadAgentNames([transcript.agentId], { tenant: user.tenant, agents: service.agents }),
      readInboxBeside(ctx),
    ]);
    const agent = names.get(transcript.agentId);
    return page({ ...conversation, records, agent, inbox, editor: isEditor(user) });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { transcript, live, records, agent, inbox, editor } = data;
  const next = transcript.nextCursor && `&cursor=${encodeURIComponent(transcript.nextCursor)}`;
  return (
    <div class="inbox-page">
      <PageHeader
        title={t("Conversation with {agent}", { agent: agent ?? t("a deleted agent") })}
        back={{
          href: inbox.query === "" ? conversationsHref({}) : `/conversations?${inbox.query}`,
          label: t("Conversations"),
        }}
      >
        {editor && transcript.runCount > 0 && (
          <a class="button" href={conversationHref(transcript, "/delete")} aria-current="false">
            {t("Delete")}
          </a>
        )}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <div class="inbox inbox-open">
        <div class="inbox-pane">
          <FilterChips filters={inbox.filters} names={inbox.names} />
          <InboxList inbox={inbox} open={transcript} />
        </div>
        <div class="inbox-transcript card">
          {transcript.runs.length + live.length === 0 && (
            <p class="prose">{t("These messages were deleted.")}</p>
          )}
          {transcript.runs.map((run) => (
            <RunCard key={run.runId} run={run} record={records.get(run.runId)} />
          ))}
          {live.map((run) => (
            <LiveRunCard key={run.facts.runId} run={run} now={inbox.now} canStop={editor} />
          ))}
          {(next || url.searchParams.has("cursor")) && (
            <nav class="pager" aria-label={t("Runs")}>
              {url.searchParams.has("cursor") && (
                <a class="button" href={conversationHref(transcript)} aria-current="false">
                  {t("First runs")}
                </a>
              )}
              {next && (
                <a class="button" href={conversationHref(transcript) + next} aria-current="false">
                  {t("Later runs")}
                </a>
              )}
            </nav>
          )}
        </div>
        <ConversationFacts transcript={transcript} agent={agent} now={inbox.now} />
      </div>
      <InboxKeys />
    </div>
  );
});
