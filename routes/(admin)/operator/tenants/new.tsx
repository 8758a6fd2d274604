import { page } from "fresh";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Field } from "@/components/Field.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { LimitField } from "@/components/PlanForm.tsx";
import { ReauthField } from "@/components/ReauthField.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { RevealedLink } from "@/components/RevealedLink.tsx";
import { normalizeEmail } from "@/lib/services/credential_rules.ts";
import { invitationMail } from "@/lib/dashboard/mail/account_mails.ts";
import { type MailDelivery, sendMail } from "@/lib/dashboard/mail/send_mail.ts";
import { invitationLink } from "@/lib/dashboard/sign_in/account_links.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { newSubmissionId, submitOnce } from "@/lib/dashboard/submit_once.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { VISITOR_LIMIT_FIELDS } from "@/lib/dashboard/plans/describe_plan.ts";
import {
  newPlanForm,
  parsePlanForm,
  planHints,
  readNewPlanForm,
} from "@/lib/dashboard/plans/plan_form.ts";
import { MAX_TENANT_NAME, tenantNameIssue } from "@/lib/dashboard/tenants/tenant_name.ts";
import type { Plan } from "@/lib/store/tenants/tenant_store.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define, type State } from "@/utils.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const backLink = () => ({ href: "/operator/tenants", label: t("Tenants") });
const HINTS = planHints({});
const LABELS = {
  name: "Name",
  email: msg("First owner's email"),
  ...Object.fromEntries(VISITOR_LIMIT_FIELDS.map(({ name, label }) => [name, label])),
};

interface Form {
  name: string;
  email: string;
  asksPassword: boolean;
  once: string;
  /** Limits for one visitor, as typed. */
  limits: Record<string, string>;
  issues: Record<string, string>;
}
type Data = Form | { name: string; link: string; delivery: MailDelivery };

export const handler = define.handlers({
  GET(ctx) {
    const { limits } = newPlanForm();
    return page<Data>({ name: "", email: "", limits, ...blank(ctx.state), issues: {} });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const [name, email] = [(form.get("name") ?? "").trim(), form.get("email") ?? ""];
    const planForm = readNewPlanForm(form);
    const typed = { name, email, limits: planForm.limits, ...blank(ctx.state) };
    const parsed = parsePlanForm(planForm);
    const issues = { ...toIssues(name, email), ...("issues" in parsed ? parsed.issues : {}) };
    if (!("plan" in parsed) || Object.keys(issues).length > 0) {
      return page<Data>({ ...typed, issues }, { status: 400 });
    }
    const { plan } = parsed;
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return page<Data>({ ...typed, issues: { password: rejected.message } }, rejected);
    }
    const invited = await submitOnce(
      ctx,
      form,
      () => createTenant(ctx.state, { name, email, plan }),
    );
    if ("rejected" in invited) {
      return ctx.redirect(withFlashMessage("/operator/tenants", "tenant_made_before"), 303);
    }
    const link = invitationLink(service.baseUrl, invited.token);
    const to = invited.invitation.email;
    const mail = invitationMail({ to, link, by: signedIn(ctx.state).email });
    const delivery = await sendMail(ctx.state, mail);
    return page<Data>({ name, link, delivery }, { status: 201 });
  },
});

function blank(state: State) {
  return { asksPassword: needsReauthentication(state), once: newSubmissionId(state) };
}

async function createTenant(
  state: State,
  { name, email, plan }: { name: string; email: string; plan: Plan },
) {
  const { tenants, team } = state.service;
  const tenant = await tenants.create(name, plan);
  const invited = await team.invite(tenant.id, { email, role: "owner" }, signedIn(state));
  if (!("token" in invited)) throw new Error("a new tenant has members already");
  return invited;
}

function toIssues(name: string, email: string): Record<string, string> {
  const nameIssue = tenantNameIssue(name);
  return {
    ...(nameIssue !== undefined && { name: nameIssue }),
    ...(normalizeEmail(email) === undefined && { email: t("Enter an email address.") }),
  };
}

export default define.page<typeof handler>(({ data }) =>
  "link" in data
    ? (
      <RevealedLink
        title={t("Tenant “{name}” created", { name: data.name })}
        text={t("Send it to the tenant's first owner. It works once, for 7 days.")}
        link={data.link}
        back={backLink()}
        delivery={data.delivery}
      />
    )
    : <NewTenantForm {...data} />
);

function NewTenantForm({ name, email, limits, asksPassword, once, issues }: Form) {
  const { password: own_password, ...others } = issues;
  return (
    <>
      <PageHeader title={t("New tenant")} titlePrefix={unsavedTitle(issues)} back={backLink()} />
      <PostForm
        action="/operator/tenants/new"
        class="card narrow stack"
        issues={own_password === undefined ? others : { ...others, own_password }}
        labels={LABELS}
        lead={t("Couldn't create the tenant.")}
        once={once}
      >
        <Field name="name" label={LABELS.name} issue={issues.name}>
          {(attributes) => (
            <input
              type="text"
              {...attributes}
              value={name}
              required
              maxLength={MAX_TENANT_NAME}
            />
          )}
        </Field>
        <Field
          name="email"
          label={LABELS.email}
          issue={issues.email}
          help={t("We do not send an email. You get a link to share.")}
        >
          {(attributes) => <input type="email" {...attributes} value={email} required />}
        </Field>
        <fieldset class="field stack">
          <legend>{t("Limits for one visitor")}</legend>
          <p class="help">
            {t(
              "These stop a single visitor from using all streams or the whole daily budget. Leave a field blank for no limit. You can change the rest of the plan later.",
            )}
          </p>
          {VISITOR_LIMIT_FIELDS.map((field) => (
            <LimitField
              key={field.name}
              field={field}
              value={limits[field.name]}
              hint={HINTS[field.name]}
              issue={issues[field.name]}
            />
          ))}
        </fieldset>
        <ReauthField asked={asksPassword} issue={own_password} />
        <div class="form-actions">
          <button class="button button-primary" type="submit">{t("Create tenant")}</button>
          <a class="button" href="/operator/tenants" aria-current="false">{t("Cancel")}</a>
        </div>
      </PostForm>
    </>
  );
}
