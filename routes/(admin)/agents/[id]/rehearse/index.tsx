import { type Context, page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { RehearsalForm } from "@/components/rehearsals/RehearsalForm.tsx";
import { RehearsalList } from "@/components/rehearsals/RehearsalList.tsx";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import {
  DEFAULT_REHEARSAL,
  readRehearsalForm,
  type RehearsalIssues,
  startRehearsal,
} from "@/lib/dashboard/rehearsals/rehearsal_form.ts";
import { pageRequestParams } from "@/lib/http/request_params.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Versions that the form offers. */
const LISTED_VERSIONS = 20;

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const version = ctx.url.searchParams.get("version") ?? String(agent.version);
    const issues: RehearsalIssues = {};
    return page({ values: { ...DEFAULT_REHEARSAL, version }, issues, ...await shared(ctx, agent) });
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { rehearsals, runtime } = ctx.state.service;
    const { tenant, id } = signedIn(ctx.state);
    const values = readRehearsalForm(await readForm(ctx.req, runtime));
    const of = { tenant, agentId: agent.id, source: { kind: "user", id } as const };
    const result = await startRehearsal(rehearsals, of, values);
    if ("begun" in result) {
      return ctx.redirect(`/agents/${agent.id}/rehearse/${result.begun.id}`, 303);
    }
    const { issues, status } = result;
    return page({ values, issues, ...await shared(ctx, agent) }, { status });
  },
});

async function shared(ctx: Context<State>, agent: Agent) {
  const { agents, rehearsals, runtime } = ctx.state.service;
  const user = signedIn(ctx.state);
  const { tenant } = user;
  const [versions, earlier] = await Promise.all([
    agents.listVersions(tenant, agent.id, { limit: LISTED_VERSIONS }),
    rehearsals.list({ tenant, agentId: agent.id }, { ...pageRequestParams(ctx.url), limit: 20 }),
  ]);
  return {
    agent,
    versions: versions.data.map(({ version }) => version),
    earlier,
    editor: isEditor(user),
    now: runtime.now(),
  };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, values, issues, versions, earlier, editor, now } = data;
  const path = `/agents/${agent.id}/rehearse`;
  return (
    <>
      <AgentHeader
        agent={agent}
        tab="rehearse"
        editor={editor}
        titlePrefix={unsavedTitle({ ...issues })}
      />
      <PageNotice notice={flashMessageOf(url)} />
      <div class="sections">
        <p class="prose">
          {t(
            "Asks a version what visitors have asked, and shows its answers beside those they got. Tools are not called: they answer with their recorded results. Only models are asked.",
          )}
        </p>
        {editor && <RehearsalForm action={path} {...{ values, issues, versions }} />}
        <section aria-labelledby="earlier">
          <h2 id="earlier">{t("Rehearsals")}</h2>
          {earlier.data.length === 0
            ? (
              <EmptyState
                icon="conversations"
                title={t("No rehearsals yet")}
                text={t("They are kept for 30 days.")}
              />
            )
            : <RehearsalList rehearsals={earlier.data} path={path} now={now} />}
          {earlier.nextCursor && (
            <nav class="pager" aria-label={t("Pages")}>
              <a
                class="button"
                href={`${path}?cursor=${encodeURIComponent(earlier.nextCursor)}`}
                aria-current="false"
              >
                {t("Older")}
              </a>
            </nav>
          )}
        </section>
      </div>
    </>
  );
});
