import { page } from "fresh";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Field } from "@/components/Field.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { ReauthField } from "@/components/ReauthField.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { parseRole, RoleSelect } from "@/components/RoleSelect.tsx";
import { RevealedLink } from "@/components/RevealedLink.tsx";
import type { Role } from "@/lib/services/signed_in_user.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { invitationLink } from "@/lib/dashboard/sign_in/account_links.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { newSubmissionId, submitOnce } from "@/lib/dashboard/submit_once.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const backLink = () => ({ href: "/team", label: t("Team") });

interface Form {
  email: string;
  role: Role;
  asksPassword: boolean;
  once: string;
  issues: { email?: string; password?: string };
}
type Data = Form | { link: string; email: string; replaced: boolean };

export const handler = define.handlers({
  GET(ctx) {
    return page<Data>({
      email: "",
      role: "viewer",
      asksPassword: needsReauthentication(ctx.state),
      once: newSubmissionId(ctx.state),
      issues: {},
    });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const email = form.get("email") ?? "";
    const role = parseRole(form.get("role")) ?? "viewer";
    const typed = {
      email,
      role,
      asksPassword: needsReauthentication(ctx.state),
      once: newSubmissionId(ctx.state),
    };
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return page<Data>({ ...typed, issues: { password: rejected.message } }, rejected);
    }
    const user = signedIn(ctx.state);
    const invited = await submitOnce(
      ctx,
      form,
      () => service.team.invite(user.tenant, { email, role }, user),
    );
    if ("token" in invited) {
      const link = invitationLink(service.baseUrl, invited.token);
      const { invitation: { email }, replaced } = invited;
      return page<Data>({ link, email, replaced }, { status: 201 });
    }
    if (invited.rejected === "sent_before") {
      return ctx.redirect(withFlashMessage("/team", "link_made_before"), 303);
    }
    const issue = invited.rejected === "invalid"
      ? t("Enter an email address.")
      : t("This person is already on the team.");
    return page<Data>({ ...typed, issues: { email: issue } }, { status: 400 });
  },
});

export default define.page<typeof handler>(({ data }) =>
  "link" in data
    ? (
      <RevealedLink
        title={t("Invitation for {email}", { email: data.email })}
        text={data.replaced
          ? t(
            "The earlier invitation for this address no longer works. Send the link to the person you invited. The first person to open it sets the password. It works once, for 7 days.",
          )
          : t(
            "Send the link to the person you invited. The first person to open it sets the password. It works once, for 7 days.",
          )}
        link={data.link}
        back={backLink()}
      />
    )
    : <InviteForm {...data} />
);

function InviteForm({ email, role, asksPassword, once, issues }: Form) {
  const own_password = issues.password;
  return (
    <>
      <PageHeader title={t("Invite")} titlePrefix={unsavedTitle(issues)} back={backLink()} />
      <PostForm
        action="/team/invite"
        class="card narrow stack"
        issues={{ email: issues.email, own_password }}
        labels={{ email: "Email" }}
        lead={t("Couldn't create the invitation.")}
        once={once}
      >
        <Field
          name="email"
          label={t("Email")}
          issue={issues.email}
          help={t("We do not send an email. You get a link to share.")}
        >
          {(attributes) => <input type="email" {...attributes} value={email} required />}
        </Field>
        <RoleSelect value={role} />
        <ReauthField asked={asksPassword} issue={own_password} />
        <div class="form-actions">
          <button class="button button-primary" type="submit">{t("Create invitation")}</button>
          <a class="button" href="/team" aria-current="false">{t("Cancel")}</a>
        </div>
      </PostForm>
    </>
  );
}
