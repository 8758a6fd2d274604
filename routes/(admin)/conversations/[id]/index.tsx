import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { DescriptionList } from "@/components/DescriptionList.tsx";
import { formatCount, formatUsd } from "@/lib/dashboard/format_amount.ts";
import { PageHeader } from "@/components/PageHeader.tsx";
import { RunCard } from "@/components/RunCard.tsx";
import { Moment, Time } from "@/components/Time.tsx";
import { loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import { conversationHref, conversationsHref } from "@/lib/dashboard/conversation_filters.ts";
import { readTranscript } from "@/lib/dashboard/find_conversation.ts";
import { sourceLabel } from "@/lib/dashboard/source_labels.ts";
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
    const [records, names] = await Promise.all([
      service.conversations.records(user.tenant, runIds),
      loadAgentNames([transcript.agentId], { tenant: user.tenant, agents: service.agents }),
    ]);
    const agent = names.get(transcript.agentId);
    return page({ transcript, records, agent, now: service.runtime.now(), editor: isEditor(user) });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { transcript, records, agent, now, editor } = data;
  const next = transcript.nextCursor && `&cursor=${encodeURIComponent(transcript.nextCursor)}`;
  return (
    <>
      <PageHeader
        title={`Conversation with ${agent ?? "a deleted agent"}`}
        back={{ href: "/conversations", label: "Conversations" }}
      >
        {editor && (
          <a class="button" href={conversationHref(transcript, "/delete")} aria-current="false">
            Delete
          </a>
        )}
      </PageHeader>
      <div class="stack">
        <DescriptionList
          class="figures card"
          of={{
            "ID": <code>{transcript.id}</code>,
            "Agent": agent && <a href={`/agents/${transcript.agentId}`}>{agent}</a>,
            "Source": sourceLabel(transcript.source),
            "Page": transcript.origin,
            "Started": <Moment at={transcript.createdAt} />,
            "Last activity": <Time at={transcript.updatedAt} now={now} />,
            "Deleted on": <Moment at={transcript.expiresAt} />,
            "Runs": formatCount(transcript.runCount),
            "Cost": formatUsd(transcript.costUsd),
          }}
        />
        <p class="prose">
          <a href={conversationsHref({ agentId: transcript.agentId })} aria-current="false">
            All conversations of this agent
          </a>
        </p>
        {transcript.runs.length === 0 && <p class="prose">These messages were deleted.</p>}
        {transcript.runs.map((run) => (
          <RunCard key={run.runId} run={run} record={records.get(run.runId)} />
        ))}
      </div>
      <nav class="pager" aria-label="Runs">
        {url.searchParams.has("cursor") && (
          <a class="button" href={conversationHref(transcript)} aria-current="false">First runs</a>
        )}
        {next && (
          <a class="button" href={conversationHref(transcript) + next} aria-current="false">
            Later runs
          </a>
        )}
      </nav>
    </>
  );
});
