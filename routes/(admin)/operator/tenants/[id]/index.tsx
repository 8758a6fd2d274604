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
import type { Tenant } from "@/lib/store/tenants/tenant_store.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const tenant = await findTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const values = toPlanForm(await ctx.state.service.tenants.plan(tenant.id));
    return page(await formProps(ctx, { tenant, values, issues: {} }));
  },

  async POST(ctx) {
    const tenant = await findTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const values = readPlanForm(await readForm(ctx.req, service.runtime));
    const parsed = parsePlanForm(values);
    if ("issues" in parsed) {
      const props = await formProps(ctx, { tenant, values, issues: parsed.issues });
      return page(props, { status: 400 });
    }
    await service.tenants.setPlan(tenant.id, parsed.plan);
    return ctx.redirect(withFlashMessage("/operator/tenants", "plan_saved"), 303);
  },
});

function findTenant(ctx: Context<State>): Promise<Tenant | undefined> {
  return ctx.state.service.tenants.get(ctx.params.id!);
}

async function formProps(
  { state: { service } }: Context<State>,
  form: { tenant: Tenant; values: PlanFormValues; issues: PlanFormIssues },
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

export default define.page<typeof handler>(({ data, url }) => (
  <>
    <PageHeader
      title={data.tenant.name}
      titlePrefix={unsavedTitle(data.issues)}
      text={t("Plan changes take effect on the next request.")}
      back={{ href: "/operator/tenants", label: t("Tenants") }}
    >
      <CopyButton text={data.tenant.id} what={t("tenant ID")} label={t("Copy ID")} />
    </PageHeader>
    <PageNotice notice={flashMessageOf(url)} />
    <PlanForm {...data} />
  </>
));
