import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { Field } from "@/components/Field.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { findChangeableTenant, type FoundTenant } from "@/lib/dashboard/tenants/find_tenant.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

const MAX_REASON = 500;
const LABELS = { reason: msg("Reason") };

interface Data {
  tenant: FoundTenant;
  reason: string;
  password: ReauthFieldProps;
  issue?: string;
}

export const handler = define.handlers({
  async GET(ctx) {
    const tenant = await findChangeableTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const password = { asked: needsReauthentication(ctx.state) };
    return page<Data>({ tenant, reason: tenant.suspension?.reason ?? "", password });
  },

  async POST(ctx) {
    const tenant = await findChangeableTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const reason = (form.get("reason") ?? "").trim();
    if (reason === "" || reason.length > MAX_REASON) {
      const issue = t("Enter a reason of 1 to {max} characters.", { max: MAX_REASON });
      const password = { asked: needsReauthentication(ctx.state) };
      return page<Data>({ tenant, reason, password, issue }, { status: 400 });
    }
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ tenant, reason, password }, rejected);
    }
    await service.tenantLifecycle.suspend(tenant.id, reason);
    const next = `/operator/tenants/${tenant.id}`;
    return ctx.redirect(withFlashMessage(next, "tenant_suspended"), 303);
  },
});

export default define.page<typeof handler>(({ data: { tenant, reason, password, issue } }) => (
  <ConfirmPage
    title={t("Suspend tenant")}
    back={{ href: `/operator/tenants/${tenant.id}`, label: tenant.name }}
    action={`/operator/tenants/${tenant.id}/suspend`}
    question={t("Suspend {name}?", { name: tenant.name })}
    confirm={t("Suspend tenant")}
    issues={{ reason: issue, own_password: password.issue }}
    labels={LABELS}
    fields={<SuspendFields {...{ reason, issue, password }} />}
  >
    <p>
      {t(
        "Its API keys, session tokens and widgets are rejected from the next request on, and answers in progress are stopped. Nothing is deleted. Its users can sign in and look, but change nothing.",
      )}
    </p>
  </ConfirmPage>
));

function SuspendFields(
  { reason, issue, password }: Pick<Data, "reason" | "password"> & { issue: string | undefined },
) {
  return (
    <div class="stack">
      <Field
        name="reason"
        label={t(LABELS.reason)}
        issue={issue}
        help={t("The tenant's users read it on every page, for example: invoice of May is unpaid.")}
      >
        {(attributes) => (
          <textarea {...attributes} rows={3} required maxLength={MAX_REASON}>{reason}</textarea>
        )}
      </Field>
      <ReauthField {...password} />
    </div>
  );
}
