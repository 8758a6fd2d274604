import { page } from "fresh";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import { Time } from "@/components/Time.tsx";
import { paginate } from "@/lib/dashboard/paginate.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { isoTime } from "@/lib/platform/runtime.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { tenants, team, runtime } = ctx.state.service;
    const { items, ...links } = paginate(await tenants.list(), ctx.url);
    const rows = await Promise.all(items.map(async (tenant) => {
      const [members, plan] = await Promise.all([
        team.members(tenant.id),
        tenants.plan(tenant.id),
      ]);
      return { ...tenant, members: members.length, overrides: Object.keys(plan.limits).length };
    }));
    return page({ rows, links, now: runtime.now() });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  return (
    <>
      <PageHeader title="Tenants" text="Each tenant has its own agents, keys, team and plan.">
        <a class="button button-primary" href="/operator/tenants/new">Create tenant</a>
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <ul class="rows">
        {data.rows.map((tenant) => (
          <li key={tenant.id} class="row">
            <div class="row-main">
              <a class="row-link" href={`/operator/tenants/${tenant.id}`}>{tenant.name}</a>
              <p class="row-text">
                <code>{tenant.id}</code>
              </p>
            </div>
            <dl class="facts">
              <div>
                <dt>Members</dt>
                <dd>{tenant.members}</dd>
              </div>
              <div>
                <dt>Plan</dt>
                <dd>{tenant.overrides === 0 ? "Default" : plural(tenant.overrides, "override")}</dd>
              </div>
              <div>
                <dt>Created</dt>
                <dd>
                  <Time at={isoTime(tenant.createdAt)} now={data.now} />
                </dd>
              </div>
            </dl>
          </li>
        ))}
      </ul>
      <Pagination {...data.links} />
    </>
  );
});
