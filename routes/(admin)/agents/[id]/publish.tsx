import { type Context, page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Notice, PageNotice } from "@/components/Notice.tsx";
import { PublishForms } from "@/components/agents/PublishForms.tsx";
import { findAgent, parseVersion } from "@/lib/dashboard/agents/find_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page({ issue: undefined as string | undefined, ...await shared(ctx, agent) });
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { publications, runtime } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    const version = parseVersion(form.get("version"));
    const asked = form.get("mode") === "automatic"
      ? { mode: "automatic" }
      : { mode: "manual", ...version !== undefined && { version } };
    const ifMatch = [Number(form.get("revision"))];
    try {
      await publications.set(signedIn(ctx.state).tenant, agent.id, { asked, ifMatch });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const issue = error.code === "version_conflict"
        ? t("Someone else has published in the meantime. Look again before you publish.")
        : t(
          "This version cannot be published: what it uses is gone, or it is not stored any more.",
        );
      return page({ issue, ...await shared(ctx, agent) }, { status: error.status });
    }
    return ctx.redirect(withFlashMessage(`/agents/${agent.id}/publish`, "agent_published"), 303);
  },
});

async function shared(ctx: Context<State>, agent: Agent) {
  const user = signedIn(ctx.state);
  const { publication, revision } = await ctx.state.service.publications.get(user.tenant, agent.id);
  const now = ctx.state.service.runtime.now();
  return { agent, publication, revision, editor: isEditor(user), now };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, issue, editor } = data;
  return (
    <>
      <AgentHeader
        agent={agent}
        tab="publish"
        editor={editor}
        titlePrefix={unsavedTitle({ issue })}
      />
      {issue !== undefined && <Notice kind="error" focused>{issue}</Notice>}
      <PageNotice notice={issue === undefined ? flashMessageOf(url) : undefined} />
      <PublishForms {...data} />
    </>
  );
});
