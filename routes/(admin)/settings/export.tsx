import { page } from "fresh";
import type { ReauthFieldProps } from "@/components/ReauthField.tsx";
import { ExportPage } from "@/components/tenants/ExportPage.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { exportResponse } from "@/lib/dashboard/tenants/export_response.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

/** For the owners of a tenant. */
export const handler = define.handlers({
  GET(ctx) {
    const password: ReauthFieldProps = { asked: needsReauthentication(ctx.state) };
    return page({ password });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, service.runtime));
    if (rejected !== undefined) {
      const password: ReauthFieldProps = { asked: true, issue: rejected.message };
      return page({ password }, rejected);
    }
    const id = signedIn(ctx.state).tenant;
    const name = (await service.tenants.get(id))?.name ?? "";
    return await exportResponse(service, { id, name });
  },
});

export default define.page<typeof handler>(({ data: { password } }) => (
  <ExportPage
    action="/settings/export"
    back={{ href: "/settings", label: t("Settings") }}
    password={password}
  />
));
