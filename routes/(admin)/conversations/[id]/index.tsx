import { type Context, page } from "fresh";
import type { State } from "@/utils.ts";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ConversationFacts } from "@/components/inbox/ConversationFacts.tsx";
import { HandoffPanel } from "@/components/handoff/HandoffPanel.tsx";
import { FilterChips } from "@/components/inbox/FilterChips.tsx";
import { InboxList } from "@/components/inbox/InboxList.tsx";
import { LiveRunCard } from "@/components/inbox/LiveRunCard.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { AddToTestSet } from "@/components/test_sets/AddToTestSet.tsx";
import { StoredRun } from "@/components/inbox/StoredRun.tsx";
import InboxKeys from "@/islands/InboxKeys.tsx";
import { conversationsHref, openConversationHref } from "@/lib/dashboard/conversation_filters.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  actOnHandoff,
  type RejectedAction,
  suggestedName,
} from "@/lib/dashboard/handoff/act_on_handoff.ts";
import { handoffHref } from "@/lib/dashboard/handoff/handoff_href.ts";
import { readHandoff } from "@/lib/dashboard/handoff/read_handoff.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { readOpenConversation } from "@/lib/dashboard/inbox/read_open_conversation.ts";
import { readInboxBeside } from "@/lib/dashboard/inbox/read_inbox.ts";
import { loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const data = await readPage(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(data);
  },

  /** What a person does with the hand-off. */
  async POST(ctx) {
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    const result = await actOnHandoff(ctx, form);
    if (result !== undefined && "done" in result) {
      const href = `${ctx.url.pathname}${ctx.url.search}`;
      const next = result.done === undefined ? href : withFlashMessage(href, result.done);
      return ctx.redirect(`${next}#handoff`, 303);
    }
    const data = result && await readPage(ctx, result.rejected);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(data, { status: result!.rejected.status });
  },
});

async function readPage(ctx: Context<State>, rejected?: RejectedAction) {
  const { service } = ctx.state;
  const user = signedIn(ctx.state);
  const handoff = await readHandoff(ctx);
  const conversation = await readOpenConversation(ctx, handoff);
  if (conversation === undefined) return undefined;
  const { transcript } = conversation;
  const runIds = transcript.runs.map(({ runId }) => runId);
  const { agentId, visitorId } = transcript;
  const [testSets, records, names, inbox, facts] = await Promise.all([
    isEditor(user) ? service.testSets.ofAgent(user.tenant, agentId) : [],
    service.conversations.records(user.tenant, runIds),
    loadAgentNames([transcript.agentId], { tenant: user.tenant, agents: service.agents }),
    readInboxBeside(ctx),
    visitorId === undefined
      ? []
      : service.visitorMemories.listOf({ tenant: user.tenant, agentId, visitorId }),
  ]);
  const agent = names.get(transcript.agentId);
  return { ...conversation, testSets, records, agent, inbox, facts, handoff, rejected, user };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { transcript, live, testSets, records, agent, inbox, facts, handoff, rejected, user } =
    data;
  const editor = isEditor(user);
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
          <a
            class="button"
            href={openConversationHref(transcript, url, "/delete")}
            aria-current="false"
          >
            {t("Delete")}
          </a>
        )}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <div class="inbox inbox-open">
        <div class="inbox-pane">
          <FilterChips filters={inbox.filters} names={inbox.names} />
          <InboxList
            inbox={inbox}
            open={{ ...transcript, visitor: url.searchParams.get("visitor") || undefined }}
          />
        </div>
        <div class="inbox-transcript card">
          {transcript.runs.length + live.length === 0 && handoff === undefined && (
            <p class="prose">{t("These messages were deleted.")}</p>
          )}
          {transcript.runs.map((run) => (
            <StoredRun
              key={run.runId}
              run={run}
              runs={transcript.runs}
              record={records.get(run.runId)}
              action={editor && !run.unreadable && (
                <AddToTestSet
                  runId={run.runId}
                  agentId={transcript.agentId}
                  testSets={testSets}
                />
              )}
            />
          ))}
          {live.map((run) => (
            <LiveRunCard
              key={run.facts.runId}
              run={run}
              runs={transcript.runs}
              now={inbox.now}
              canStop={editor}
            />
          ))}
          {(next || url.searchParams.has("cursor")) && (
            <nav class="pager" aria-label={t("Runs")}>
              {url.searchParams.has("cursor") && (
                <a class="button" href={openConversationHref(transcript, url)} aria-current="false">
                  {t("First runs")}
                </a>
              )}
              {next && (
                <a
                  class="button"
                  href={openConversationHref(transcript, url) + next}
                  aria-current="false"
                >
                  {t("Later runs")}
                </a>
              )}
            </nav>
          )}
          {handoff !== undefined && next === undefined && (
            <HandoffPanel
              {...{ handoff, rejected, editor }}
              action={handoffHref(handoff.head)}
              feed={(below) => handoffHref(handoff.head, below)}
              userId={user.id}
              suggestedName={suggestedName(user)}
              now={inbox.now}
            />
          )}
        </div>
        <ConversationFacts
          {...{ transcript, agent, facts }}
          deleteFactsHref={editor
            ? openConversationHref(transcript, url, "/memory/delete")
            : undefined}
          sealedExportHref={openConversationHref(transcript, url, "/sealed-export")}
          now={inbox.now}
        />
      </div>
      <InboxKeys />
    </div>
  );
});
