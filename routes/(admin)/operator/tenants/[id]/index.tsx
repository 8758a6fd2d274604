import { type Context, page } from "fresh";
import { formatStorageUse } from "@/components/StorageMeters.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import CopyButton from "@/islands/CopyButton.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PlanForm, type PlanFormProps } from "@/components/PlanForm.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  parsePlanForm,
  type PlanFormIssues,
  type PlanFormValues,
  planHints,
  readPlanForm,
  toPlanForm,
} from "@/lib/dashboard/plans/plan_form.ts";
import { MEMBER_SORT_KEYS } from "@/components/MemberTable.tsx";
import { TenantActions } from "@/components/tenants/TenantActions.tsx";
import { TenantOverview, type TenantOverviewProps } from "@/components/tenants/TenantOverview.tsx";
import { TenantStateNotice } from "@/components/tenants/TenantStateNotice.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { paginateStored } from "@/lib/dashboard/paginate.ts";
import {
  findChangeableTenant,
  findTenant,
  type FoundTenant,
} from "@/lib/dashboard/tenants/find_tenant.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import { parseDayRange } from "@/lib/schemas/day_range.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const tenant = await findTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { runtime, tenants } = ctx.state.service;
    // Nothing is read of it: reading its storage would write counters.
    if (tenant.deletion !== undefined) return page<Data>({ tenant, now: runtime.now() });
    const values = toPlanForm(await tenants.plan(tenant.id));
    return page<Data>(await dataOf(ctx, { tenant, values, issues: {} }));
  },

  async POST(ctx) {
    const tenant = await findChangeableTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const values = readPlanForm(await readForm(ctx.req, service.runtime));
    const parsed = parsePlanForm(values);
    if ("issues" in parsed) {
      const data = await dataOf(ctx, { tenant, values, issues: parsed.issues });
      return page<Data>(data, { status: 400 });
    }
    await service.tenants.setPlan(tenant.id, parsed.plan);
    return ctx.redirect(withFlashMessage("/operator/tenants", "plan_saved"), 303);
  },
});

interface TenantData extends PlanFormProps {
  tenant: FoundTenant;
  now: number;
  overview: Omit<TenantOverviewProps, "url">;
}
/** Of a tenant that is being deleted, only the tenant. */
type Data = TenantData | Pick<TenantData, "tenant" | "now">;

async function dataOf(
  ctx: Context<State>,
  form: { tenant: FoundTenant; values: PlanFormValues; issues: PlanFormIssues },
): Promise<TenantData> {
  const { tenant } = form;
  const overview = await readOverview(ctx, tenant.id);
  return { ...await formProps(ctx, form), tenant, now: overview.now, overview };
}

async function readOverview(
  { state, url }: Context<State>,
  tenant: string,
): Promise<TenantData["overview"]> {
  const { runtime, storage, team, usage } = state.service;
  const now = runtime.now();
  const [members, used, stored] = await Promise.all([
    paginateStored({
      url,
      keys: MEMBER_SORT_KEYS,
      by: { by: "joined", isDescending: false },
      readPart: (part) => team.membersPart(tenant, part),
      readAll: () => team.members(tenant),
    }),
    usage.summary(tenant, parseDayRange({ from: null, to: null }, dayOf(now))),
    storage.read(tenant),
  ]);
  const me = signedIn(state).id;
  return { members: members.part, sorting: members.sorting, me, usage: used, storage: stored, now };
}

async function formProps(
  { state: { service } }: Context<State>,
  form: { tenant: FoundTenant; values: PlanFormValues; issues: PlanFormIssues },
): Promise<PlanFormProps> {
  const known = (await service.catalogue.list()).map((one) => `${one.vendor}/${one.model}`);
  // What has left the catalogue stays allowed until somebody takes it out here.
  const names = [...new Set([...known, ...form.values.chosen])];
  return {
    ...form,
    used: formatStorageUse(await service.storage.read(form.tenant.id)),
    hints: planHints(service.limits),
    models: names.map((name) =>
      [name, known.includes(name) ? name : t("{name} (removed)", { name })] as const
    ),
  };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { tenant, now } = data;
  return (
    <>
      <PageHeader
        title={tenant.name}
        titlePrefix={"issues" in data ? unsavedTitle(data.issues) : undefined}
        text={t("Plan changes take effect on the next request.")}
        back={{ href: "/operator/tenants", label: t("Tenants") }}
      >
        <CopyButton text={tenant.id} what={t("tenant ID")} label={t("Copy ID")} />
        <TenantActions {...tenant} />
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <TenantStateNotice {...tenant} now={now} />
      {"overview" in data && (
        <div class="sections">
          <TenantOverview {...data.overview} url={url} />
          <PlanForm {...data} />
        </div>
      )}
    </>
  );
});
