import { page } from "fresh";
import { CodeBlock } from "@/components/CodeBlock.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { Notice, PageNotice } from "@/components/Notice.tsx";
import { McpServerRows } from "@/components/mcp/McpServerRows.tsx";
import { CONNECT_PROBLEM_TEXTS, isConnectProblem } from "@/lib/dashboard/mcp/mcp_problem_texts.ts";
import { SECRET_SORT_KEYS, SecretTable } from "@/components/SecretTable.tsx";
import { ConnectionRows } from "@/components/ConnectionRows.tsx";
import { loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import { StorageMeters } from "@/components/StorageMeters.tsx";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import {
  describePlan,
  maxAgentVersions,
  retentionLabel,
  VISITOR_OVERRIDE_LABELS,
} from "@/lib/dashboard/plans/describe_plan.ts";
import { sortRows } from "@/lib/dashboard/sort_rows.ts";
import { isEditor, isOwner, signedIn } from "@/lib/dashboard/authorization.ts";
import { connectionViews } from "@/lib/dashboard/models/connection_views.ts";
import { define } from "@/utils.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    // Reading the catalog loads changed connections, which otherwise happens with each run.
    await service.catalogue.list();
    const [tenant, plan, secrets, storage, servers, requiresFactor] = await Promise.all([
      service.tenants.get(user.tenant),
      service.tenants.plan(user.tenant),
      service.secrets.list(user.tenant),
      service.storage.read(user.tenant),
      service.mcpAuthorizations.list(user.tenant),
      service.factors.isRequired(user.tenant),
    ]);
    const by = { by: "name", isDescending: false };
    const { rows, sorting } = sortRows(secrets, { url: ctx.url, keys: SECRET_SORT_KEYS, by });
    const bound = secrets.flatMap(({ agentId }) => agentId === undefined ? [] : [agentId]);
    return page({
      agents: await loadAgentNames(bound, { tenant: user.tenant, agents: service.agents }),
      tenant: tenant?.name ?? "",
      plan,
      maxVersions: maxAgentVersions(plan),
      values: describePlan(plan, service.limits),
      secrets: { secrets: rows, sorting },
      servers,
      requiresFactor,
      storage,
      slots: connectionViews(service).filter(({ state }) => state !== "empty"),
      editor: isEditor(user),
      owner: isOwner(user),
      operator: user.operator,
      sealKey: service.runSeals.keys.at(-1)!.kid,
      now: service.runtime.now(),
    });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { plan, editor, now } = data;
  const problem = url.searchParams.get("problem") ?? "";
  return (
    <>
      <PageHeader title={t("Settings")} text={data.tenant}>
        {data.owner && (
          <a class="button" href="/settings/export" aria-current="false">{t("Export all data")}</a>
        )}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {isConnectProblem(problem) && (
        <Notice kind="error">{t(CONNECT_PROBLEM_TEXTS[problem])}</Notice>
      )}
      <div class="sections">
        <section aria-labelledby="secrets">
          <div class="section-head">
            <div>
              <h2 id="secrets">{t("Secrets")}</h2>
              <p class="lead">
                {rich("Credentials that tools send as {code}. Values are write-only.", {
                  code: <code>{"{{secret.NAME}}"}</code>,
                })}
              </p>
            </div>
            {editor && <a class="button" href="/settings/secrets/new">{t("Set secret")}</a>}
          </div>
          <SecretTable {...data.secrets} agents={data.agents} now={now} editor={editor} url={url} />
        </section>
        <section aria-labelledby="mcp-servers">
          <div class="section-head">
            <div>
              <h2 id="mcp-servers">{t("MCP servers")}</h2>
              <p class="lead">
                {t(
                  "Connections to servers that ask for OAuth. The tools of your agents share them.",
                )}
              </p>
            </div>
            {editor && <a class="button" href="/settings/mcp">{t("Connect MCP server")}</a>}
          </div>
          <McpServerRows servers={data.servers} editor={editor} />
        </section>
        {data.owner && (
          <section aria-labelledby="sign-in">
            <div class="section-head">
              <div>
                <h2 id="sign-in">{t("Sign-in")}</h2>
                <p class="lead">
                  {data.requiresFactor
                    ? t("Everyone on the team needs a second factor.")
                    : t("A second factor is optional, except for operators.")}
                </p>
              </div>
              <div class="form-actions">
                <a class="button" href="/settings/single-sign-on" aria-current="false">
                  {t("Single sign-on")}
                </a>
                <a class="button" href="/settings/second-factor" aria-current="false">
                  {data.requiresFactor
                    ? t("Make second factor optional")
                    : t("Require second factor")}
                </a>
              </div>
            </div>
          </section>
        )}
        <section aria-labelledby="limits">
          <div class="section-head">
            <div>
              <h2 id="limits">{t("Plan and limits")}</h2>
              <p class="lead">{t("Set by the operator of this installation.")}</p>
            </div>
          </div>
          <dl class="card values">
            {data.values.map(({ label, value }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
            <div>
              <dt>{t("Models")}</dt>
              <dd>{plan.models === "all" ? t("All models") : plan.models.length}</dd>
            </div>
            <div>
              <dt>{t("Visitor overrides")}</dt>
              <dd>{t(VISITOR_OVERRIDE_LABELS[plan.visitorOverrides])}</dd>
            </div>
            <div>
              <dt>{t("Conversation retention")}</dt>
              <dd>{retentionLabel(plan)}</dd>
            </div>
          </dl>
        </section>
        <section aria-labelledby="storage">
          <div class="section-head">
            <div>
              <h2 id="storage">{t("Quotas")}</h2>
              <p class="lead">
                {t(
                  "Your usage and quotas. The last {maxVersions} versions of each agent are stored.",
                  {
                    maxVersions: data.maxVersions,
                  },
                )}
              </p>
            </div>
          </div>
          <StorageMeters figures={data.storage} />
        </section>
        <section aria-labelledby="seals">
          <div class="section-head">
            <div>
              <h2 id="seals">{t("Proof of conversations")}</h2>
              <p class="lead">
                {rich(
                  "Every answer is signed when it ends. Keep this key: with it, {command} proves an exported conversation anywhere.",
                  { command: <code>deno task verify</code> },
                )}
              </p>
            </div>
          </div>
          <CodeBlock label={t("Seal key")} code={data.sealKey} wrapped />
        </section>
        {data.slots.length > 0 && (
          <section aria-labelledby="providers">
            <div class="section-head">
              <div>
                <h2 id="providers">{t("Model providers")}</h2>
                <p class="lead">
                  {t("Shows whether the models that your agents use are answering.")}
                </p>
              </div>
            </div>
            <ConnectionRows slots={data.slots} now={now} operator={data.operator} />
          </section>
        )}
      </div>
    </>
  );
});
