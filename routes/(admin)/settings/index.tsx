import { page } from "fresh";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { SecretRows } from "@/components/SecretRows.tsx";
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
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { connectionViews } from "@/lib/dashboard/models/connection_views.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    // Reading the catalog loads changed connections, which otherwise happens with each run.
    await service.catalogue.list();
    const [tenant, plan, secrets, storage] = await Promise.all([
      service.tenants.get(user.tenant),
      service.tenants.plan(user.tenant),
      service.secrets.list(user.tenant),
      service.storage.read(user.tenant),
    ]);
    const bound = secrets.flatMap(({ agentId }) => agentId === undefined ? [] : [agentId]);
    return page({
      agents: await loadAgentNames(bound, { tenant: user.tenant, agents: service.agents }),
      tenant: tenant?.name ?? "",
      plan,
      maxVersions: maxAgentVersions(plan),
      values: describePlan(plan, service.limits),
      secrets,
      storage,
      slots: connectionViews(service),
      editor: isEditor(user),
      operator: user.operator,
      now: service.runtime.now(),
    });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { plan, secrets, editor, now } = data;
  return (
    <>
      <PageHeader title="Settings" text={data.tenant} />
      <PageNotice notice={flashMessageOf(url)} />
      <div class="sections">
        <section aria-labelledby="secrets">
          <div class="section-head">
            <div>
              <h2 id="secrets">Secrets</h2>
              <p class="lead">
                Credentials that tools send as{" "}
                <code>{"{{secret.NAME}}"}</code>. Values are write-only.
              </p>
            </div>
            {editor && <a class="button" href="/settings/secrets/new">Set secret</a>}
          </div>
          <SecretRows secrets={secrets} agents={data.agents} now={now} editor={editor} />
        </section>
        <section aria-labelledby="limits">
          <div class="section-head">
            <div>
              <h2 id="limits">Plan and limits</h2>
              <p class="lead">Set by the operator of this installation.</p>
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
              <dt>Models</dt>
              <dd>{plan.models === "all" ? "All models of the catalog" : plan.models.length}</dd>
            </div>
            <div>
              <dt>Visitor overrides</dt>
              <dd>{VISITOR_OVERRIDE_LABELS[plan.visitorOverrides]}</dd>
            </div>
            <div>
              <dt>Conversation retention</dt>
              <dd>{retentionLabel(plan)}</dd>
            </div>
          </dl>
        </section>
        <section aria-labelledby="storage">
          <div class="section-head">
            <div>
              <h2 id="storage">Storage</h2>
              <p class="lead">
                Your usage and quotas. Stores the last {data.maxVersions} versions of each agent.
              </p>
            </div>
          </div>
          <StorageMeters figures={data.storage} />
        </section>
        <section aria-labelledby="vendors">
          <div class="section-head">
            <div>
              <h2 id="vendors">Model providers</h2>
              <p class="lead">Whether the models that your agents use are answering.</p>
            </div>
          </div>
          <ConnectionRows slots={data.slots} now={now} operator={data.operator} />
        </section>
      </div>
    </>
  );
});
