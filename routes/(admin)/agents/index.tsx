import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { Time } from "@/components/Time.tsx";
import { ApiError } from "@/lib/errors.ts";
import { noticeText } from "@/lib/http/notices.ts";
import { isEditor, signedIn } from "@/lib/http/signed_in.ts";
import { pageRequest } from "@/lib/http/page_request.ts";
import type { Agent } from "@/lib/wire/agent.ts";
import { DEMO_MODEL } from "@/lib/wire/vendors.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    try {
      const agents = await service.agents.list(user.tenant, pageRequest(ctx.url));
      const first = !ctx.url.searchParams.has("cursor");
      return page({ agents, first, now: service.system.now(), editor: isEditor(user) });
    } catch (error) {
      // A cursor from an old bookmark: the list itself is what was wanted.
      if (error instanceof ApiError && error.status === 400) return ctx.redirect("/agents", 303);
      throw error;
    }
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { agents, editor, first } = data;
  const notice = noticeText(url);
  return (
    <>
      <PageHeader title="Agents" text="Each has its own prompt, model, tools and budget.">
        {editor && agents.data.length > 0 && (
          <a class="button button-primary" href="/agents/new">New agent</a>
        )}
      </PageHeader>
      {notice && <Notice kind="done">{notice}</Notice>}
      {agents.data.length === 0
        ? (
          <EmptyState
            icon="agents"
            title="No agents yet"
            text="An agent answers your visitors. Give it a prompt and a model, and try it."
          >
            {editor && <a class="button button-primary" href="/agents/new">Create an agent</a>}
          </EmptyState>
        )
        : <AgentList agents={agents.data} now={data.now} />}
      <nav class="pager" aria-label="Pages">
        {!first && <a class="button" href="/agents" aria-current="false">Newest</a>}
        {agents.nextCursor && (
          <a class="button" href={`/agents?cursor=${encodeURIComponent(agents.nextCursor)}`}>
            Older
          </a>
        )}
      </nav>
    </>
  );
});

function AgentList({ agents, now }: { agents: Agent[]; now: number }) {
  return (
    <ul class="rows">
      {agents.map((agent) => (
        <li key={agent.id} class="row">
          <div class="row-main">
            <a class="row-link" href={`/agents/${agent.id}`}>{agent.name}</a>
            <p class="row-text">{agent.systemPrompt}</p>
          </div>
          <dl class="facts">
            <div>
              <dt>Model</dt>
              <dd>
                {agent.modelPolicy.model === DEMO_MODEL ? "Demo model" : agent.modelPolicy.model}
              </dd>
            </div>
            <div>
              <dt>Tools</dt>
              <dd>{agent.tools.length}</dd>
            </div>
            <div>
              <dt>Changed</dt>
              <dd>
                <Time at={agent.updatedAt} now={now} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}
