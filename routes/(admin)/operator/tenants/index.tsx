import { page } from "fresh";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import { Time } from "@/components/Time.tsx";
import { type SortKeys, sortRows } from "@/lib/dashboard/sort_rows.ts";
import { type Column, DataTable } from "@/components/DataTable.tsx";
import { paginate } from "@/lib/dashboard/paginate.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import type { Tenant } from "@/lib/store/tenants/tenant_store.ts";
import { isoTime } from "@/lib/platform/runtime.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const TENANT_SORT_KEYS: SortKeys<Tenant> = {
  name: ({ name }) => name,
  created: ({ createdAt }) => createdAt,
};

export const handler = define.handlers({
  async GET(ctx) {
    const { tenants, team, runtime } = ctx.state.service;
    const { rows: all, sorting } = sortRows(await tenants.list(), {
      url: ctx.url,
      keys: TENANT_SORT_KEYS,
      by: { by: "created", isDescending: false },
    });
    const { items, ...links } = paginate(all, ctx.url);
    const rows = await Promise.all(items.map(async (tenant) => {
      const [members, plan] = await Promise.all([
        team.members(tenant.id),
        tenants.plan(tenant.id),
      ]);
      return { ...tenant, members: members.length, overrides: Object.keys(plan.limits).length };
    }));
    return page({ rows, sorting, links, now: runtime.now() });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  return (
    <>
      <PageHeader
        title={t("Tenants")}
        text={t("Each tenant has its own agents, keys, team and plan.")}
      >
        <a class="button button-primary" href="/operator/tenants/new">{t("Create tenant")}</a>
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <DataTable
        caption={t("Tenants")}
        columns={columns(data.now)}
        rows={data.rows}
        rowKey={({ id }) => id}
        url={url}
        sorting={data.sorting}
      />
      <Pagination {...data.links} />
    </>
  );
});

interface Row extends Tenant {
  members: number;
  overrides: number;
}

function columns(now: number): Column<Row>[] {
  return [
    {
      id: "name",
      heading: t("Name"),
      isSortable: true,
      cell: ({ id, name }) => <a class="row-link" href={`/operator/tenants/${id}`}>{name}</a>,
    },
    { id: "members", heading: t("Members"), isNumber: true, cell: ({ members }) => members },
    {
      id: "plan",
      heading: t("Plan"),
      cell: ({ overrides }) =>
        overrides === 0 ? t("Default") : plural(overrides, "{count} override", "{count} overrides"),
    },
    {
      id: "created",
      heading: t("Created"),
      isSortable: true,
      cell: ({ createdAt }) => <Time at={isoTime(createdAt)} now={now} />,
    },
  ];
}
