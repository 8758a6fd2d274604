import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { Field } from "@/components/Field.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { findChangeableTenant, type FoundTenant } from "@/lib/dashboard/tenants/find_tenant.ts";
import { MAX_TENANT_NAME, tenantNameIssue } from "@/lib/dashboard/tenants/tenant_name.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

const LABELS = { name: msg("Name") };

interface Data {
  tenant: FoundTenant;
  name: string;
  issue?: string | undefined;
}

export const handler = define.handlers({
  async GET(ctx) {
    const tenant = await findChangeableTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>({ tenant, name: tenant.name });
  },

  async POST(ctx) {
    const tenant = await findChangeableTenant(ctx);
    if (tenant === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const name = ((await readForm(ctx.req, service.runtime)).get("name") ?? "").trim();
    const issue = tenantNameIssue(name);
    if (issue !== undefined) return page<Data>({ tenant, name, issue }, { status: 400 });
    await service.tenantLifecycle.rename(tenant.id, name);
    return ctx.redirect(withFlashMessage(`/operator/tenants/${tenant.id}`, "tenant_renamed"), 303);
  },
});

export default define.page<typeof handler>(({ data: { tenant, name, issue } }) => {
  const back = { href: `/operator/tenants/${tenant.id}`, label: tenant.name };
  const issues = { name: issue };
  return (
    <>
      <PageHeader title={t("Rename tenant")} titlePrefix={unsavedTitle(issues)} back={back} />
      <PostForm
        action={`${back.href}/rename`}
        class="card narrow stack"
        issues={issues}
        labels={LABELS}
      >
        <Field name="name" label={t(LABELS.name)} issue={issue}>
          {(attributes) => (
            <input type="text" {...attributes} value={name} required maxLength={MAX_TENANT_NAME} />
          )}
        </Field>
        <div class="form-actions">
          <button class="button button-primary" type="submit">{t("Rename tenant")}</button>
          <a class="button" href={back.href} aria-current="false">{t("Cancel")}</a>
        </div>
      </PostForm>
    </>
  );
});
