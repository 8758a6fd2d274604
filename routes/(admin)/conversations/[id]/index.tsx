import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ConversationFacts } from "@/components/inbox/ConversationFacts.tsx";
import { FilterChips } from "@/components/inbox/FilterChips.tsx";
import { InboxList } from "@/components/inbox/InboxList.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { RunCard } from "@/components/RunCard.tsx";
import InboxKeys from "@/islands/InboxKeys.tsx";
import { conversationHref, conversationsHref } from "@/lib/dashboard/conversation_filters.ts";
import { readTranscript } from "@/lib/dashboard/find_conversation.ts";
import { readInboxBeside } from "@/lib/dashboard/inbox/read_inbox.ts";
import { loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const transcript = await readTranscript(ctx);
    if (transcript === undefined) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    const runIds = transcript.runs.map(({ runId }) => runId);
    const [records, names, inbox] = await Promise.all([
      service.conversations.records(user.tenant, runIds),
      loadAgentNames([transcript.agentId], { tenant: user.tenant, agents: service.agents }),
      readInboxBeside(ctx),
    ]);
    const agent = names.get(transcript.agentId);
    return page({ transcript, records, agent, inbox, editor: isEditor(user) });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { transcript, records, agent, inbox, editor } = data;
  const next = transcript.nextCursor && `&cursor=${encodeURIComponent(transcript.nextCursor)}`;
  return (
    <div class="inbox-page">
      <PageHeader
        title={`Conversation with ${agent ?? "a deleted agent"}`}
        back={{
          href: inbox.query === "" ? conversationsHref({}) : `/conversations?${inbox.query}`,
          label: "Conversations",
        }}
      >
        {editor && (
          <a class="button" href={conversationHref(transcript, "/delete")} aria-current="false">
            Delete
          </a>
        )}
      </PageHeader>
      <div class="inbox inbox-open">
        <div class="inbox-pane">
          <FilterChips filters={inbox.filters} names={inbox.names} />
          <InboxList inbox={inbox} open={transcript} />
        </div>
        <div class="inbox-transcript card">
          {transcript.runs.length === 0 && <p class="prose">These messages were deleted.</p>}
          {transcript.runs.map((run) => (
            <RunCard key={run.runId} run={run} record={records.get(run.runId)} />
          ))}
          <nav class="pager" aria-label="Runs">
            {url.searchParams.has("cursor") && (
              <a class="button" href={conversationHref(transcript)} aria-current="false">
                First runs
              </a>
            )}
            {next && (
              <a class="button" href={conversationHref(transcript) + next} aria-current="false">
                Later runs
              </a>
            )}
          </nav>
        </div>
        <ConversationFacts transcript={transcript} agent={agent} now={inbox.now} />
      </div>
      <InboxKeys />
    </div>
  );
});
