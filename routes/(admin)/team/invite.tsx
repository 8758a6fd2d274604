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
import { unlessOverQuota } from "@/lib/dashboard/quota_message.ts";
import { invitationMail } from "@/lib/dashboard/mail/account_mails.ts";
import { type MailDelivery, sendMail } from "@/lib/dashboard/mail/send_mail.ts";
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
  sendsMail: boolean;
  issues: { email?: string; password?: string; form?: string };
}
type Data = Form | { link: string; email: string; replaced: boolean; delivery: MailDelivery };

export const handler = define.handlers({
  GET(ctx) {
    return page<Data>({
      email: "",
      role: "viewer",
      asksPassword: needsReauthentication(ctx.state),
      once: newSubmissionId(ctx.state),
      sendsMail: ctx.state.service.mailer !== undefined,
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
      sendsMail: service.mailer !== undefined,
    };
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return page<Data>({ ...typed, issues: { password: rejected.message } }, rejected);
    }
    const user = signedIn(ctx.state);
    const invited = await unlessOverQuota(() =>
      submitOnce(ctx, form, () => service.team.invite(user.tenant, { email, role }, user))
    );
    if ("full" in invited) {
      const asksPassword = needsReauthentication(ctx.state);
      const issues = { form: invited.full };
      return page<Data>({ ...typed, asksPassword, issues }, { status: 403 });
    }
    if ("token" in invited) {
      const link = invitationLink(service.baseUrl, invited.token);
      const { invitation: { email }, replaced } = invited;
      const mail = invitationMail({ to: email, link, by: user.email });
      const delivery = await sendMail(ctx.state, mail);
      return page<Data>({ link, email, replaced, delivery }, { status: 201 });
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
        text={[
          ...data.replaced ? [t("The earlier invitation for this address no longer works.")] : [],
          ...data.delivery?.isSent ? [] : [t("Send the link to the person you invited.")],
          t("The first person to open it sets the password. It works once, for 7 days."),
        ].join(" ")}
        link={data.link}
        back={backLink()}
        delivery={data.delivery}
      />
    )
    : <InviteForm {...data} />
);

function InviteForm({ email, role, asksPassword, once, sendsMail, issues }: Form) {
  const own_password = issues.password;
  return (
    <>
      <PageHeader title={t("Invite")} titlePrefix={unsavedTitle(issues)} back={backLink()} />
      <PostForm
        action="/team/invite"
        class="card narrow stack"
        issues={{ email: issues.email, form: issues.form, own_password }}
        labels={{ email: "Email" }}
        lead={t("Couldn't create the invitation.")}
        once={once}
      >
        <Field
          name="email"
          label={t("Email")}
          issue={issues.email}
          help={sendsMail
            ? t("We email them a link. You see it too.")
            : t("We do not send an email. You get a link to share.")}
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
