import { page } from "fresh";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { SecretRows } from "@/components/SecretRows.tsx";
import { ConnectionRows } from "@/components/ConnectionRows.tsx";
import { loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import { StorageMeters } from "@/components/StorageMeters.tsx";
import { quotasOf } from "@/lib/store/tenants/tenant_store.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import {
  describePlan,
  retentionLabel,
  visitorOverridesLabel,
} from "@/lib/dashboard/plans/describe_plan.ts";
import { isEditor, signedIn } from "@/lib/dashboard/permissions.ts";
import { connectionViews } from "@/lib/dashboard/models/connection_views.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    // The catalogue is what brings changed slots in; a page is no run, so it asks here.
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
                What tools send as <code>{"{{secret.NAME}}"}</code>. Write-only: nobody reads one.
              </p>
            </div>
            {editor && <a class="button" href="/settings/secrets/new">New secret</a>}
          </div>
          <SecretRows secrets={secrets} agents={data.agents} now={now} editor={editor} />
        </section>
        <section aria-labelledby="limits">
          <div class="section-head">
            <div>
              <h2 id="limits">Plan and limits</h2>
              <p class="lead">Whoever operates the installation sets them.</p>
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
              <dd>{plan.models === "all" ? "All of the catalogue" : plan.models.length}</dd>
            </div>
            <div>
              <dt>Visitors may choose</dt>
              <dd>{visitorOverridesLabel(plan)}</dd>
            </div>
            <div>
              <dt>Conversations are kept</dt>
              <dd>{retentionLabel(plan)}</dd>
            </div>
          </dl>
        </section>
        <section aria-labelledby="storage">
          <div class="section-head">
            <div>
              <h2 id="storage">Storage</h2>
              <p class="lead">
                What you store and what your plan allows. The last {quotasOf(plan).agentVersions}
                {" "}
                versions of each agent are kept.
              </p>
            </div>
          </div>
          <StorageMeters figures={data.storage} />
        </section>
        <section aria-labelledby="vendors">
          <div class="section-head">
            <div>
              <h2 id="vendors">Model vendors</h2>
              <p class="lead">As this process has found them since it started.</p>
            </div>
          </div>
          <ConnectionRows slots={data.slots} now={now} operator={data.operator} />
        </section>
      </div>
    </>
  );
});
