import { type Context, page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { EmbedGuide, type EmbedGuideProps } from "@/components/embed/EmbedGuide.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { addSite, saveSites, type SiteIssues } from "@/lib/dashboard/embed/add_site.ts";
import { findBackend } from "@/lib/dashboard/embed/backends.ts";
import { embedFacts } from "@/lib/dashboard/embed/embed_facts.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define, type State } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(guideProps(ctx, { agent, typed: "", issues: {} }));
  },

  /** Adds a site, removes the one in `remove`, or allows `nativeApps`. */
  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { runtime, agents } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    const [typed, removed] = [(form.get("origin") ?? "").trim(), form.get("remove")];
    const { tenant } = signedIn(ctx.state);
    const nativeApps = form.get("nativeApps");
    const allowedOrigins = (agent.allowedOrigins ?? []).filter((origin) => origin !== removed);
    const patch = nativeApps === null ? { allowedOrigins } : { nativeApps: nativeApps !== "" };
    const adds = removed === null && nativeApps === null;
    const issues = adds
      ? await addSite(agents, { tenant, agent, typed })
      : await saveSites(agents, { tenant, agent, patch });
    if (issues === undefined) {
      const notice = adds ? "site_added" : removed === null ? "agent_saved" : "site_removed";
      return ctx.redirect(withFlashMessage(`/agents/${agent.id}/embed`, notice), 303);
    }
    return page(guideProps(ctx, { agent, typed, issues }), { status: 400 });
  },
});

function guideProps(
  { state, url }: Context<State>,
  { agent, typed, issues }: { agent: Agent; typed: string; issues: SiteIssues },
): EmbedGuideProps {
  return {
    agent,
    facts: embedFacts(state.service, agent),
    backend: findBackend(url.searchParams.get("backend")),
    origins: agent.allowedOrigins ?? [],
    nativeApps: agent.nativeApps ?? false,
    editor: isEditor(signedIn(state)),
    typed,
    issues,
  };
}

export default define.page<typeof handler>(({ data, url }) => (
  <>
    <AgentHeader
      agent={data.agent}
      tab="embed"
      editor={data.editor}
      titlePrefix={unsavedTitle({ ...data.issues })}
    />
    <PageNotice notice={flashMessageOf(url)} />
    <EmbedGuide {...data} />
  </>
));
