import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import type { ReauthFieldProps } from "@/components/ReauthField.tsx";
import { ExportPage } from "@/components/tenants/ExportPage.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { exportResponse } from "@/lib/dashboard/tenants/export_response.ts";
import { findChangeableTenant, type FoundTenant } from "@/lib/dashboard/tenants/find_tenant.ts";
import { define } from "@/utils.ts";

interface Data {
  tenant: FoundTenant;
  password: ReauthFieldProps;
}

export const handler = define.handlers({
  async GET(ctx) {
    const tenant = await findChangeableTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>({ tenant, password: { asked: needsReauthentication(ctx.state) } });
  },

  async POST(ctx) {
    const tenant = await findChangeableTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, service.runtime));
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ tenant, password }, rejected);
    }
    return await exportResponse(service, tenant);
  },
});

export default define.page<typeof handler>(({ data: { tenant, password } }) => {
  const back = { href: `/operator/tenants/${tenant.id}`, label: tenant.name };
  return <ExportPage action={`${back.href}/export`} back={back} password={password} />;
});
