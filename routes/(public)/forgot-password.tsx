import { page } from "fresh";
import { AuthCard } from "@/components/AuthCard.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { Field } from "@/components/Field.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { passwordResetMail } from "@/lib/dashboard/mail/account_mails.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { passwordResetLink } from "@/lib/dashboard/sign_in/account_links.ts";
import { signInRejection } from "@/lib/dashboard/sign_in/sign_in_rejection.ts";
import { normalizeEmail } from "@/lib/services/credential_rules.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  email: string;
  isSent?: boolean;
  issue?: string | undefined;
  emailIssue?: string;
}

/** Only where mail is configured; without it, people ask an owner for a link. */
export const handler = define.handlers({
  async GET(ctx) {
    if (ctx.state.service.resetRequests !== undefined) return page<Data>({ email: "" });
    return await ctx.render(<ErrorView status={404} />, { status: 404 });
  },

  async POST(ctx) {
    const { service: { baseUrl, resetRequests, runtime }, clientAddress } = ctx.state;
    if (resetRequests === undefined) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    const form = await readForm(ctx.req, runtime);
    const typed = form.get("email") ?? "";
    const retryAfterMs = resetRequests.admit(clientAddress);
    if (retryAfterMs > 0) {
      const rejection = signInRejection({ rejected: "too_many_tries", retryAfterMs });
      return page<Data>({ email: typed, issue: rejection.message }, rejection);
    }
    const email = normalizeEmail(typed);
    if (email === undefined) {
      const emailIssue = t("Enter an email address.");
      return page<Data>({ email: typed, emailIssue }, { status: 400 });
    }
    resetRequests.start(
      email,
      ({ to, token }) =>
        passwordResetMail({ to, link: passwordResetLink(baseUrl, token), ttl: "1 hour" }),
    );
    return page<Data>({ email, isSent: true });
  },
});

export default define.page<typeof handler>(({ data: { email, isSent, issue, emailIssue } }) => (
  <AuthCard
    title={t("Forgot your password?")}
    text={t("We email you a link with which you choose a new one.")}
    titlePrefix={unsavedTitle({ form: issue, email: emailIssue })}
  >
    {isSent
      ? (
        <Notice kind="done" focused>
          {t(
            "If {email} has an account, a link is on its way. It works once, for 1 hour. Look into your spam folder too.",
            { email },
          )}
        </Notice>
      )
      : (
        <PostForm
          action="/forgot-password"
          class="stack"
          issues={{ form: issue, email: emailIssue }}
          labels={{ email: "Email" }}
          noValidate
        >
          <Field name="email" label={t("Email")} focused issue={emailIssue}>
            {(attributes) => (
              <input
                type="email"
                {...attributes}
                value={email}
                required
                autocomplete="username"
              />
            )}
          </Field>
          <button class="button button-primary button-wide" type="submit">
            {t("Send link")}
          </button>
        </PostForm>
      )}
    <p class="help">
      <a href="/sign-in">{t("Back to sign-in")}</a>
    </p>
  </AuthCard>
));
