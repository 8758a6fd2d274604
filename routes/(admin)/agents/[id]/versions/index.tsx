import { page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { Time } from "@/components/Time.tsx";
import { changedFields } from "@/lib/dashboard/agents/agent_diff.ts";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { maxAgentVersions } from "@/lib/dashboard/plans/describe_plan.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { MAX_QUOTAS } from "@/lib/schemas/limits.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A row of the list. */
interface VersionRow {
  version: number;
  at: string;
  /** Labels of the changed fields; undefined for the oldest stored version. */
  changed: string[] | undefined;
}

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { agents, runtime, tenants } = ctx.state.service;
    const user = signedIn(ctx.state);
    const all = { limit: MAX_QUOTAS.agentVersions };
    const maxVersions = maxAgentVersions(await tenants.plan(user.tenant));
    const { data: versions } = await agents.listVersions(user.tenant, agent.id, all);
    const rows = versions.map((version, n) => rowOf(version, versions[n + 1]));
    return page({ agent, rows, maxVersions, now: runtime.now(), editor: isEditor(user) });
  },
});

function rowOf(agent: Agent, before: Agent | undefined): VersionRow {
  const changed = before && changedFields(before, agent);
  return { version: agent.version, at: agent.updatedAt, changed };
}

export default define.page<typeof handler>((
  { data: { agent, rows, maxVersions, now, editor } },
) => (
  <>
    <AgentHeader agent={agent} tab="versions" editor={editor} />
    <ul class="rows">
      {rows.map((row) => (
        <li key={row.version} class="row">
          <div class="row-main">
            <p class="row-name">
              <a class="row-link" href={`/agents/${agent.id}/versions/${row.version}`}>
                {t("Version {version}", { version: row.version })}
              </a>
              {row.version === agent.version && (
                <span class="badge badge-active">{t("Current")}</span>
              )}
            </p>
            <p class="row-text">{changeText(row)}</p>
          </div>
          <dl class="facts">
            <div>
              <dt>{t("Saved")}</dt>
              <dd>
                <Time at={row.at} now={now} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
    <p class="help list-note">
      {t(
        "The last {maxVersions} versions are stored, or fewer if the plan's storage for agents is full. Each run records the version that answered it.",
        { maxVersions },
      )}
    </p>
  </>
));

function changeText({ version, changed }: VersionRow): string {
  if (changed === undefined) return version === 1 ? t("Created") : t("Oldest stored version");
  return t("Changed: {changed}", { changed: changed.join(", ") });
}
