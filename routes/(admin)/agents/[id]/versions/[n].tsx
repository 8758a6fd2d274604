import { type Context, page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Notice } from "@/components/Notice.tsx";
import { VersionDiff } from "@/components/VersionDiff.tsx";
import { diffAgents, type FieldDiff } from "@/lib/dashboard/agents/agent_diff.ts";
import { findAgent, findAgentVersion, parseVersion } from "@/lib/dashboard/agents/find_agent.ts";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { saveAgent } from "@/lib/dashboard/agents/save_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  agent: Agent;
  version: number;
  /** The version it is compared with. */
  other: number;
  diff: FieldDiff[];
  editor: boolean;
  issue?: string;
}

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    const data = agent && await compared(ctx, agent);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>(data);
  },

  /** Restores the version as a new version, so that the history stays complete. */
  async POST(ctx) {
    const agent = await findAgent(ctx);
    const data = agent && await compared(ctx, agent);
    if (agent === undefined || data === undefined) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const ifMatch = [Number(form.get("version"))];
    const { version } = data;
    const restored = await saveAgent(
      toFormValues(agent),
      () => service.agents.restore(signedIn(ctx.state).tenant, agent.id, { version, ifMatch }),
    );
    if ("agent" in restored) {
      return ctx.redirect(withFlashMessage(`/agents/${agent.id}`, "agent_restored"), 303);
    }
    const issue = restored.status === 412
      ? t("Someone else changed this agent in the meantime. Compare again before you restore.")
      : t("This version cannot be restored: {issues}", {
        issues: Object.values(restored.issues).join(" "),
      });
    return page<Data>({ ...data, issue }, { status: restored.status });
  },
});

/** The version in the address, compared with `?with=` or the current version. */
async function compared(ctx: Context<State>, agent: Agent): Promise<Data | undefined> {
  const version = parseVersion(ctx.params.n);
  const before = agent.version === version ? version - 1 : agent.version;
  const other = parseVersion(ctx.url.searchParams.get("with")) ?? before;
  if (version === undefined) return undefined;
  const [shown, against] = await Promise.all([
    findAgentVersion(ctx, agent, version),
    findAgentVersion(ctx, agent, other),
  ]);
  if (shown === undefined) return undefined;
  // The older version comes first. The first version has no predecessor.
  const pair = against === undefined ? undefined : [shown, against];
  const [from, to] = pair?.sort((a, b) => a.version - b.version) ?? [];
  const diff = from && to ? diffAgents(from, to) : [];
  const editor = isEditor(signedIn(ctx.state));
  return { agent, version, other: against?.version ?? version, diff, editor };
}

export default define.page<typeof handler>(({ data }) => {
  const { agent, version, other, diff, editor, issue } = data;
  const path = `/agents/${agent.id}/versions`;
  return (
    <>
      <AgentHeader
        agent={agent}
        tab="versions"
        editor={editor}
        titlePrefix={unsavedTitle({ issue })}
      />
      {issue !== undefined && <Notice kind="error" focused>{issue}</Notice>}
      <section class="card stack" aria-labelledby="diff-title">
        <h2 id="diff-title">{titleOf(data)}</h2>
        <CompareForm data={data} />
        {diff.length === 0
          ? (
            <p class="prose">
              {version === other
                ? t("There is no other version to compare with.")
                : t("No changes.")}
            </p>
          )
          : <VersionDiff diff={diff} />}
        {editor && version !== agent.version && (
          <form method="post" action={`${path}/${version}`} class="form-actions">
            <input type="hidden" name="version" value={agent.version} />
            <button class="button button-primary" type="submit">
              {t("Restore version {version}", { version })}
            </button>
            <a class="button" href={path} aria-current="false">{t("All versions")}</a>
          </form>
        )}
      </section>
    </>
  );
});

function titleOf({ agent, version, other }: Data): string {
  const name = (n: number) => `version ${n}${n === agent.version ? " (current)" : ""}`;
  if (version === other) return t("Version {version}", { version });
  const [from, to] = [version, other].sort((a, b) => a - b);
  return t("From {from} to {to}", { from: name(from!), to: name(to!) });
}

function CompareForm({ data: { agent, version, other } }: { data: Data }) {
  const oldest = Math.max(1, agent.version - 99);
  const all = Array.from({ length: agent.version - oldest + 1 }, (_, n) => agent.version - n);
  if (all.length < 2) return null;
  return (
    <form method="get" class="compare">
      <label for="with">{t("Compare version {version} with", { version })}</label>
      <select id="with" name="with">
        {all.filter((n) => n !== version).map((n) => (
          <option key={n} value={n} selected={n === other}>
            {n === agent.version ? t("Version {n} (current)", { n }) : t("Version {n}", { n })}
          </option>
        ))}
      </select>
      <button class="button" type="submit">{t("Compare")}</button>
    </form>
  );
}
