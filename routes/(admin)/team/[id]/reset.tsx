import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { RevealedLink } from "@/components/RevealedLink.tsx";
import type { Member } from "@/lib/services/team_service.ts";
import { passwordResetLink } from "@/lib/dashboard/sign_in/account_links.ts";
import { findMember, MEMBER_REJECTIONS } from "@/lib/dashboard/find_member.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { passwordResetMail } from "@/lib/dashboard/mail/account_mails.ts";
import { type MailDelivery, sendMail } from "@/lib/dashboard/mail/send_mail.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { newSubmissionId, submitOnce } from "@/lib/dashboard/submit_once.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  member: Member;
  password: ReauthFieldProps;
  once: string;
  issue?: string;
  link?: string;
  delivery?: MailDelivery;
}

export const handler = define.handlers({
  async GET(ctx) {
    const member = await findMember(ctx);
    if (member === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const password = { asked: needsReauthentication(ctx.state) };
    return page<Data>({ member, password, once: newSubmissionId(ctx.state) });
  },

  async POST(ctx) {
    const member = await findMember(ctx);
    if (member === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const mark = newSubmissionId(ctx.state);
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ member, password, once: mark }, rejected);
    }
    const user = signedIn(ctx.state);
    const offered = await submitOnce(
      ctx,
      form,
      () => service.team.createResetLink(user, member.id),
    );
    const password = { asked: false };
    if ("token" in offered) {
      const link = passwordResetLink(service.baseUrl, offered.token);
      const mail = passwordResetMail({ to: member.email, link, ttl: "24 hours" });
      const delivery = await sendMail(ctx.state, mail);
      return page<Data>({ member, password, once: mark, link, delivery }, { status: 201 });
    }
    if (offered.rejected === "sent_before") {
      return ctx.redirect(withFlashMessage("/team", "link_made_before"), 303);
    }
    const issue = MEMBER_REJECTIONS[offered.rejected];
    return page<Data>({ member, password, once: mark, issue }, { status: 409 });
  },
});

export default define.page<typeof handler>(({ data }) => {
  const { member, password, once, issue, link, delivery } = data;
  const back = { href: `/team/${member.id}`, label: member.email };
  if (link !== undefined) {
    const text = t(
      "Send it to the member. It works once, for 24 hours. Using it signs them out everywhere else.",
    );
    return <RevealedLink title={t("New password")} {...{ text, link, back, delivery }} />;
  }
  return (
    <ConfirmPage
      title={t("Reset password")}
      back={back}
      action={`/team/${member.id}/reset`}
      question={t("Create a reset link for {email}?", { email: member.email })}
      confirm={t("Create reset link")}
      once={once}
      issues={{ form: issue, own_password: password.issue }}
      fields={<ReauthField {...password} />}
    >
      <p>{t("Anyone with the link can take over the account. Share it only with this member.")}</p>
    </ConfirmPage>
  );
});
