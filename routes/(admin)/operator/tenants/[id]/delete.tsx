import { page } from "fresh";
import { ConfirmNameField } from "@/components/ConfirmNameField.tsx";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { findChangeableTenant, type FoundTenant } from "@/lib/dashboard/tenants/find_tenant.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

const LABELS = { confirmName: msg("Type the tenant's name to confirm") };
const REJECTIONS = {
  not_found: msg("The page does not exist, or it was deleted."),
  default_tenant: msg("This is the tenant of the installation itself, which cannot be deleted."),
  has_operators: msg(
    "Some of its users are operators. Remove their operator role first, so that no access to the installation is lost by accident.",
  ),
};

interface Data {
  tenant: FoundTenant;
  typed: string;
  password: ReauthFieldProps;
  /** At the field of the name. */
  nameIssue?: string;
  /** Of the whole form. */
  issue?: string;
}

export const handler = define.handlers({
  async GET(ctx) {
    const tenant = await findChangeableTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const password = { asked: needsReauthentication(ctx.state) };
    return page<Data>({ tenant, typed: "", password });
  },

  async POST(ctx) {
    const tenant = await findChangeableTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const typed = form.get("confirmName") ?? "";
    if (typed.trim() !== tenant.name.trim()) {
      const nameIssue = t("The name does not match.");
      const password = { asked: needsReauthentication(ctx.state) };
      return page<Data>({ tenant, typed, password, nameIssue }, { status: 400 });
    }
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ tenant, typed, password }, rejected);
    }
    const begun = await service.tenantDeletions.begin(tenant.id);
    if (begun === "begun") {
      return ctx.redirect(withFlashMessage("/operator/tenants", "tenant_deleting"), 303);
    }
    const issue = t(REJECTIONS[begun]);
    return page<Data>({ tenant, typed, password: { asked: false }, issue }, { status: 409 });
  },
});

export default define.page<typeof handler>(({ data }) => {
  const { tenant, password, issue, nameIssue } = data;
  return (
    <ConfirmPage
      title={t("Delete tenant")}
      back={{ href: `/operator/tenants/${tenant.id}`, label: tenant.name }}
      action={`/operator/tenants/${tenant.id}/delete`}
      question={t("Delete {name}?", { name: tenant.name })}
      confirm={t("Delete tenant")}
      issues={{ form: issue, confirmName: nameIssue, own_password: password.issue }}
      labels={LABELS}
      lead={t("Couldn't delete.")}
      fields={<DeleteFields {...data} />}
    >
      <p>
        {t(
          "Its users are signed out, its API keys, session tokens and widgets are rejected immediately, and answers in progress are stopped. Then everything is deleted: users, agents, knowledge, conversations, files, usage and its audit log. This cannot be undone.",
        )}
      </p>
    </ConfirmPage>
  );
});

function DeleteFields({ tenant, typed, password, nameIssue }: Data) {
  return (
    <div class="stack">
      <ConfirmNameField
        label={t(LABELS.confirmName)}
        expected={tenant.name}
        typed={typed}
        issue={nameIssue}
      />
      <ReauthField {...password} />
    </div>
  );
}
