import { type Context, page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Notice, PageNotice } from "@/components/Notice.tsx";
import { CanaryCard } from "@/components/agents/CanaryCard.tsx";
import { GateForm } from "@/components/agents/GateForm.tsx";
import { PublishForms } from "@/components/agents/PublishForms.tsx";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import {
  applyPublishForm,
  type PublishIssues,
  publishIssues,
} from "@/lib/dashboard/agents/publish_form.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define, type State } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page({ ...UNTOUCHED, ...await shared(ctx, agent) });
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { publications, runtime } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    const name = { tenant: signedIn(ctx.state).tenant, id: agent.id };
    try {
      await applyPublishForm(publications, name, form);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const rejected = { issues: publishIssues(error), sent: Object.fromEntries(form) };
      return page({ ...rejected, ...await shared(ctx, agent) }, { status: error.status });
    }
    const notice = noticeOf(form.get("change"));
    return ctx.redirect(withFlashMessage(`/agents/${agent.id}/publish`, notice), 303);
  },
});

function noticeOf(change: string | null) {
  switch (change) {
    case "canary":
      return "canary_started";
    case "end_canary":
      return "canary_ended";
    case "gate":
      return "gate_saved";
    default:
      return "agent_published";
  }
}

/** No form was sent. */
const UNTOUCHED: { issues: PublishIssues; sent?: Record<string, string> } = {
  issues: { fields: {} },
};

async function shared(ctx: Context<State>, agent: Agent) {
  const user = signedIn(ctx.state);
  const { publications, runtime, testSets } = ctx.state.service;
  const name = { tenant: user.tenant, id: agent.id };
  const { publication, revision } = await publications.get(name);
  const ofAgent = await testSets.ofAgent(user.tenant, agent.id);
  const editor = isEditor(user);
  return { agent, publication, revision, testSets: ofAgent, editor, now: runtime.now() };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, issues, sent, editor, publication } = data;
  const issue = issues.form;
  const isRejected = issue !== undefined || Object.keys(issues.fields).length > 0;
  const path = `/agents/${agent.id}`;
  return (
    <>
      <AgentHeader
        agent={agent}
        tab="publish"
        editor={editor}
        titlePrefix={unsavedTitle({ issue: isRejected ? "rejected" : undefined })}
      />
      {issue !== undefined && <Notice kind="error" focused>{issue}</Notice>}
      <PageNotice notice={isRejected ? undefined : flashMessageOf(url)} />
      <div class="stack">
        <PublishForms {...data} />
        {publication.mode === "manual" && (
          <>
            <CanaryCard {...data} path={path} issues={issues.fields} sent={sent} />
            <GateForm {...data} path={path} />
          </>
        )}
      </div>
    </>
  );
});
