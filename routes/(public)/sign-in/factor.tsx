import { type Context, page } from "fresh";
import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import { AuthCard } from "@/components/AuthCard.tsx";
import { CodeInput } from "@/components/CodeInput.tsx";
import { Field } from "@/components/Field.tsx";
import { Notice } from "@/components/Notice.tsx";
import PasskeyButton from "@/islands/PasskeyButton.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { passkeyOrigin, readPasskeyResponse } from "@/lib/dashboard/sign_in/passkey_origin.ts";
import { codeRejection, isLocking } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import {
  readKnownBrowserCookie,
  readSignInCookie,
  setSignInCookies,
} from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { signInClient } from "@/lib/dashboard/sign_in/sign_in_client.ts";
import { safeRedirectPath } from "@/lib/dashboard/sign_in/sign_in_redirect.ts";
import type { SignedInUser } from "@/lib/services/signed_in_user.ts";
import type { FactorProof } from "@/lib/store/users/sign_in_details.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

const HOME = "/home";

interface Data {
  email: string;
  next: string;
  /** Absent if the user has no passkey, or none can be used here. */
  options?: PublicKeyCredentialRequestOptionsJSON;
  /** Whether an authenticator app is set up. */
  hasApp: boolean;
  issue?: string | undefined;
}

/** The second step of signing in, for users with a second factor. */
export const handler = define.handlers({
  async GET(ctx) {
    const next = safeRedirectPath(ctx.url.searchParams.get("next"), HOME);
    const pending = await pendingSignIn(ctx);
    if (pending === undefined) return restart(ctx, next);
    return page<Data>(await toData(ctx, pending.user, next));
  },

  async POST(ctx) {
    const { config, runtime, signIn } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    const next = safeRedirectPath(form.get("next"), HOME);
    const pending = await pendingSignIn(ctx);
    if (pending === undefined) return restart(ctx, next);
    const { cookieToken, user } = pending;
    const factor = await check(ctx, user, form);
    if (typeof factor !== "string") {
      const { message: issue, ...rejected } = factor;
      return page<Data>({ ...await toData(ctx, user, next), issue }, rejected);
    }
    const from = signInClient(ctx);
    const tokens = await signIn.completeSignIn(cookieToken, { factor, from });
    if (tokens === undefined) return restart(ctx, next);
    const response = ctx.redirect(next, 303);
    setSignInCookies(response.headers, tokens, config);
    return response;
  },
});

async function pendingSignIn(
  { req, state }: Context<State>,
): Promise<{ cookieToken: string; user: SignedInUser } | undefined> {
  const { config, signIn } = state.service;
  const cookieToken = readSignInCookie(req.headers, config);
  const user = cookieToken && await signIn.pendingUser(cookieToken);
  return cookieToken && user ? { cookieToken, user } : undefined;
}

function restart(ctx: Context<State>, next: string): Response {
  return ctx.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
}

async function toData(ctx: Context<State>, user: SignedInUser, next: string): Promise<Data> {
  const { factors, passkeys } = ctx.state.service;
  const origin = passkeyOrigin(ctx);
  const summary = await factors.summary(user);
  const isUsable = origin !== undefined && summary.passkeys.length > 0;
  const use = { kind: "confirm", user, signIn: user.session.hash } as const;
  return {
    ...{ email: user.email, next, hasApp: summary.totp !== undefined },
    ...isUsable && { options: await passkeys.requestOptions(use, origin) },
  };
}

async function check(
  ctx: Context<State>,
  user: SignedInUser,
  form: URLSearchParams,
): Promise<FactorProof["kind"] | ReturnType<typeof codeRejection>> {
  const { clientAddress: address, service } = ctx.state;
  const { config, factors, passkeys, securityLog, signIn } = service;
  const response = readPasskeyResponse(form, "passkey");
  const code = form.get("code") ?? "";
  if (response === undefined) {
    if (code === "") return { message: t("Enter a code."), status: 400, headers: {} };
    const browserToken = readKnownBrowserCookie(ctx.req.headers, config);
    const place = await signIn.placeOf(user, browserToken);
    const result = await factors.checkCode(user, code, { place });
    if (typeof result === "string") return result;
    securityLog.codeRejected(user, { address, isLocked: isLocking(result) });
    return codeRejection(result);
  }
  const origin = passkeyOrigin(ctx);
  const use = { kind: "confirm", user, signIn: user.session.hash } as const;
  if (origin !== undefined && await passkeys.verify(use, { origin, response })) return "passkey";
  securityLog.codeRejected(user, { address, isLocked: false });
  const message = t("This passkey was not accepted. Try again.");
  return { message, status: 403, headers: {} };
}

export default define.page<typeof handler>(({ data }) => (
  <AuthCard
    title={t("Two-factor sign-in")}
    text={t("Signing in as {email}.", { email: data.email })}
    titlePrefix={data.issue && t("Not signed in")}
  >
    {data.issue && <Notice kind="error">{data.issue}</Notice>}
    {data.options && (
      <form method="post" action="/sign-in/factor" class="stack">
        <input type="hidden" name="next" value={data.next} />
        <PasskeyButton
          use="get"
          options={data.options}
          field="passkey"
          label={t("Continue with passkey")}
          class="button button-primary button-wide"
          submits
        />
      </form>
    )}
    <form method="post" action="/sign-in/factor" class="stack" noValidate>
      <input type="hidden" name="next" value={data.next} />
      <Field
        name="code"
        label={data.hasApp ? t("Code") : t("Recovery code")}
        help={data.hasApp
          ? t("The 6 digits of your authenticator app, or one of your recovery codes.")
          : t("One of the codes that you saved when you added your passkey.")}
      >
        {(attributes) => (
          <CodeInput
            {...{ attributes }}
            autocomplete="one-time-code"
            required
            autofocus={data.options === undefined}
          />
        )}
      </Field>
      <button
        class={`button button-wide ${data.options ? "" : "button-primary"}`}
        type="submit"
      >
        {t("Continue")}
      </button>
    </form>
    <form method="post" action="/sign-out" class="other-way">
      <button class="button button-wide" type="submit">{t("Sign in as someone else")}</button>
    </form>
    <p class="help">
      {t("Lost your device and your codes? An owner of your team can reset your second factors.")}
    </p>
  </AuthCard>
));
