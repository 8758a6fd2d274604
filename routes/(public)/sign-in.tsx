import { page } from "fresh";
import { AuthCard } from "@/components/AuthCard.tsx";
import { Field } from "@/components/Field.tsx";
import { Notice } from "@/components/Notice.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { safeRedirectPath } from "@/lib/dashboard/sign_in/sign_in_redirect.ts";
import {
  readKnownBrowserCookie,
  readSignInCookie,
  setSignInCookies,
} from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { signInRejection } from "@/lib/dashboard/sign_in/sign_in_rejection.ts";
import { define } from "@/utils.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const HOME = "/home";

interface Data {
  email: string;
  /** Local path to open after signing in. */
  next: string;
  issue?: string | undefined;
  /** Why the previous sign-in ended. */
  ended?: string | undefined;
}

const ENDED = {
  unused: msg("You were signed out after 12 hours of inactivity."),
  too_old: msg("You were signed out because you last signed in 7 days ago."),
} as const;

export const handler = define.handlers({
  async GET(ctx) {
    const { signIn, config } = ctx.state.service;
    if (await signIn.needsSetup()) return ctx.redirect("/setup", 303);
    const next = safeRedirectPath(ctx.url.searchParams.get("next"), HOME);
    const cookie = readSignInCookie(ctx.req.headers, config);
    if (cookie && await signIn.authenticate(cookie)) return ctx.redirect(next, 303);
    const why = cookie && await signIn.endReason(cookie);
    const interrupted = ctx.url.searchParams.get("interrupted") === "yes";
    const ended = why ? ENDED[why] : interrupted ? t("You were signed out.") : undefined;
    return page<Data>({ email: "", next, ended });
  },

  async POST(ctx) {
    const { service, clientAddress: address } = ctx.state;
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    const next = safeRedirectPath(form.get("next"), HOME);
    const email = form.get("email") ?? "";
    const password = form.get("password") ?? "";
    if (email === "" || password === "") {
      return page<Data>({ email, next, issue: t("Enter your email and password.") }, {
        status: 400,
      });
    }
    const browserToken = readKnownBrowserCookie(ctx.req.headers, service.config);
    const result = await service.signIn.signIn({ email, password, address, browserToken });
    if ("cookieToken" in result) {
      const replaced = readSignInCookie(ctx.req.headers, service.config);
      if (replaced) await service.signIn.signOut(replaced, { address });
      const response = ctx.redirect(next, 303);
      setSignInCookies(response.headers, result, service.config);
      return response;
    }
    const { status, headers, message } = signInRejection(result);
    return page<Data>({ email, next, issue: message }, { status, headers });
  },
});

export default define.page<typeof handler>(({ data }) => (
  <AuthCard
    title={t("Sign in")}
    text={t("Sign in to manage your agents.")}
    titlePrefix={data.issue && t("Not signed in")}
  >
    <form method="post" action="/sign-in" class="stack" noValidate>
      <input type="hidden" name="next" value={data.next} />
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
  </AuthCard>
));
