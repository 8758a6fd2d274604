import { page } from "fresh";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import { TenantStateBadge } from "@/components/tenants/TenantStateNotice.tsx";
import type { TenantState } from "@/lib/dashboard/tenants/find_tenant.ts";
import { Time } from "@/components/Time.tsx";
import type { SortKeys } from "@/lib/dashboard/sort_rows.ts";
import { type Column, DataTable } from "@/components/DataTable.tsx";
import { paginateStored } from "@/lib/dashboard/paginate.ts";
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
    const { part, sorting } = await paginateStored({
      url: ctx.url,
      keys: TENANT_SORT_KEYS,
      by: { by: "created", isDescending: false },
      readPart: (part) => tenants.listPart(part),
      readAll: () => tenants.list(),
    });
    const { items, ...links } = part;
    const rows = await Promise.all(items.map(async (tenant) => {
      const [members, plan] = await Promise.all([
        team.countMembers(tenant.id),
        tenants.plan(tenant.id),
      ]);
      const { suspension, deletion, limits } = plan;
      const overrides = Object.keys(limits).length;
      return { ...tenant, suspension, deletion, members, overrides };
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

interface Row extends Tenant, TenantState {
  members: number;
  overrides: number;
}

function columns(now: number): Column<Row>[] {
  return [
    {
      id: "name",
      heading: t("Name"),
      isSortable: true,
      cell: ({ id, name, ...state }) => (
        <span class="cell-name">
          <a class="row-link" href={`/operator/tenants/${id}`}>{name}</a>
          <TenantStateBadge {...state} />
        </span>
      ),
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
