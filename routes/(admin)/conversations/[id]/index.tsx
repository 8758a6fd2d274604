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
import { isEditor, signedIn } from "@/lib/dashboard/permissions.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const said = await readTranscript(ctx);
    if (said === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const runIds = said.runs.map(({ runId }) => runId);
    const [records, names] = await Promise.all([
      service.conversations.records(user.tenant, runIds),
      loadAgentNames([said.agentId], { tenant: user.tenant, agents: service.agents }),
    ]);
    const agent = names.get(said.agentId);
    return page({ said, records, agent, now: service.runtime.now(), editor: isEditor(user) });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { said, records, agent, now, editor } = data;
  const next = said.nextCursor && `&cursor=${encodeURIComponent(said.nextCursor)}`;
  return (
    <>
      <PageHeader
        title={`Conversation with ${agent ?? "a deleted agent"}`}
        back={{ href: "/conversations", label: "Conversations" }}
      >
        {editor && (
          <a class="button" href={conversationHref(said, "/delete")} aria-current="false">Delete</a>
        )}
      </PageHeader>
      <div class="stack">
        <DescriptionList
          class="figures card"
          of={{
            "Id": <code>{said.id}</code>,
            "Agent": agent && <a href={`/agents/${said.agentId}`}>{agent}</a>,
            "Held on": said.origin ?? "By API key",
            "Began": <Moment at={said.createdAt} />,
            "Last run ended": <Time at={said.updatedAt} now={now} />,
            "Kept until": <Moment at={said.expiresAt} />,
            "Runs": formatCount(said.runCount),
            "Cost": formatUsd(said.costUsd),
          }}
        />
        <p class="prose">
          <a href={conversationsHref({ agentId: said.agentId })} aria-current="false">
            All conversations of this agent
          </a>
        </p>
        {said.runs.length === 0 && <p class="prose">What was said here is no longer kept.</p>}
        {said.runs.map((run) => (
          <RunCard key={run.runId} run={run} record={records.get(run.runId)} />
        ))}
      </div>
      <nav class="pager" aria-label="Runs">
        {url.searchParams.has("cursor") && (
          <a class="button" href={conversationHref(said)} aria-current="false">First runs</a>
        )}
        {next && (
          <a class="button" href={conversationHref(said) + next} aria-current="false">Later runs</a>
        )}
      </nav>
    </>
  );
});
