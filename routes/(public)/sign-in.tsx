import { type Context, page } from "fresh";
import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import { AuthCard } from "@/components/AuthCard.tsx";
import { Field } from "@/components/Field.tsx";
import { OidcSignInLink } from "@/components/OidcSignInLink.tsx";
import { isOidcProblem } from "@/lib/services/oidc/oidc_error.ts";
import { OIDC_PROBLEM_TEXTS } from "@/lib/dashboard/sign_in/oidc_problem_texts.ts";
import { Notice } from "@/components/Notice.tsx";
import { isUuid } from "@/lib/http/request_params.ts";
import type { OidcSignIn } from "@/lib/services/oidc/oidc_sign_in.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { safeRedirectPath } from "@/lib/dashboard/sign_in/sign_in_redirect.ts";
import PasskeyButton from "@/islands/PasskeyButton.tsx";
import { passkeyOrigin } from "@/lib/dashboard/sign_in/passkey_origin.ts";
import { signInClient } from "@/lib/dashboard/sign_in/sign_in_client.ts";
import { readSignInCookie, setSignInCookies } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { signInRejection } from "@/lib/dashboard/sign_in/sign_in_rejection.ts";
import { define, type State } from "@/utils.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const HOME = "/home";

interface Data {
  email: string;
  /** Local path to open after signing in. */
  next: string;
  issue?: string | undefined;
  /** Whether a forgotten password can be replaced by mail. */
  sendsMail: boolean;
  /** Why the previous sign-in ended. */
  ended?: string | undefined;
  /** Where people can sign in besides; that of a tenant if the address names one. */
  provider?: OidcSignIn | undefined;
  /** The tenant that the address names. */
  tenant: string;
  /** Absent where browsers offer no passkeys. */
  options?: PublicKeyCredentialRequestOptionsJSON | undefined;
}

const ENDED = {
  unused: msg("You were signed out after 12 hours of inactivity."),
  too_old: msg("You were signed out because you last signed in 7 days ago."),
} as const;

export const handler = define.handlers({
  async GET(ctx) {
    const { setup, signIn, config } = ctx.state.service;
    if (await setup.isNeeded()) return ctx.redirect("/setup", 303);
    const next = safeRedirectPath(ctx.url.searchParams.get("next"), HOME);
    const cookie = readSignInCookie(ctx.req.headers, config);
    const problem = ctx.url.searchParams.get("problem") ?? "";
    const issue = problemText(problem);
    if (!issue && cookie && await signIn.authenticate(cookie)) return ctx.redirect(next, 303);
    const why = cookie && await signIn.endReason(cookie);
    const interrupted = ctx.url.searchParams.get("interrupted") === "yes";
    const ended = why ? ENDED[why] : interrupted ? t("You were signed out.") : undefined;
    const sendsMail = ctx.state.service.mailer !== undefined;
    const others = await otherWays(ctx, ctx.url.searchParams.get("tenant"));
    return page<Data>({ email: "", next, sendsMail, ended, issue, ...others });
  },

  async POST(ctx) {
    const { service, clientAddress: address } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const others = await otherWays(ctx, form.get("tenant"));
    const next = safeRedirectPath(form.get("next"), HOME);
    const email = form.get("email") ?? "";
    const sendsMail = service.mailer !== undefined;
    const password = form.get("password") ?? "";
    if (email === "" || password === "") {
      const issue = t("Enter your email and password.");
      return page<Data>({ email, next, sendsMail, issue, ...others }, { status: 400 });
    }
    const result = await service.signIn.signIn({ email, password, from: signInClient(ctx) });
    if ("cookieToken" in result) {
      const replaced = readSignInCookie(ctx.req.headers, service.config);
      if (replaced) await service.signIn.signOut(replaced, { address });
      const response = ctx.redirect(next, 303);
      setSignInCookies(response.headers, result, service.config);
      return response;
    }
    const { status, headers, message } = signInRejection(result);
    return page<Data>({ email, next, sendsMail, issue: message, ...others }, { status, headers });
  },
});

function problemText(problem: string): string | undefined {
  if (problem === "passkey") return t("This passkey is not one of an account here.");
  return isOidcProblem(problem) ? t(OIDC_PROBLEM_TEXTS[problem]) : undefined;
}

async function otherWays(
  ctx: Context<State>,
  named: string | null,
): Promise<Pick<Data, "provider" | "tenant" | "options">> {
  const { oidc, passkeys } = ctx.state.service;
  const tenant = named !== null && isUuid(named) ? named : undefined;
  const origin = passkeyOrigin(ctx);
  const [provider, options] = await Promise.all([
    oidc.find(tenant),
    origin && passkeys.requestOptions({ kind: "sign in" }, origin),
  ]);
  return { provider, tenant: tenant ?? "", ...options && { options } };
}

export default define.page<typeof handler>(({ data }) => (
  <AuthCard
    title={t("Sign in")}
    text={t("Sign in to manage your agents.")}
    titlePrefix={data.issue && t("Not signed in")}
  >
    <form method="post" action="/sign-in" class="stack" noValidate>
      <input type="hidden" name="next" value={data.next} />
      {data.tenant !== "" && <input type="hidden" name="tenant" value={data.tenant} />}
      {data.ended && <Notice kind="warning">{data.ended} {t("Sign in to continue.")}</Notice>}
      {data.issue && <Notice kind="error">{data.issue}</Notice>}
      <Field name="email" label={t("Email")}>
        {(attributes) => (
          <input
            type="email"
            {...attributes}
            value={data.email}
            required
            autocomplete="username"
            autofocus={data.email === ""}
          />
        )}
      </Field>
      <Field name="password" label={t("Password")}>
        {(attributes) => (
          <input
            type="password"
            {...attributes}
            required
            autocomplete="current-password"
            autofocus={data.email !== ""}
          />
        )}
      </Field>
      <button class="button button-primary button-wide" type="submit">{t("Sign in")}</button>
    </form>
    {data.options && (
      <form method="post" action="/sign-in/passkey" class="other-way">
        <input type="hidden" name="next" value={data.next} />
        <PasskeyButton
          use="get"
          options={data.options}
          field="passkey"
          label={t("Sign in with a passkey")}
          class="button button-wide"
          submits
        />
      </form>
    )}
    <OidcSignInLink oidc={data.provider} next={data.next} />
    {data.sendsMail && (
      <p class="help">
        <a href="/forgot-password">{t("Forgot your password?")}</a>
      </p>
    )}
  </AuthCard>
));
