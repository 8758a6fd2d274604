import type { Context } from "fresh";
import type { CodeRejection } from "../../services/factors/second_factors.ts";
import { isPasswordRecent } from "../../services/signed_in_user.ts";
import type { State } from "@/utils.ts";
import { passkeyOrigin, readPasskeyResponse } from "./passkey_origin.ts";
import { readSignInCookie } from "./sign_in_cookie.ts";
import { signInRejection } from "./sign_in_rejection.ts";
import { signedIn, signedInAccount } from "../authorization.ts";
import { t } from "../texts/translate.ts";

/** A password, a code of an authenticator app, or a recovery code. */
export const OWN_PASSWORD = "own_password";
export const OWN_PASSKEY = "own_passkey";

type Rejection = { message: string; status: number; headers: Record<string, string> };

export function needsReauthentication({ service, user }: State): boolean {
  return user === undefined || !isPasswordRecent(user, service.runtime.now());
}

/**
 * Requires a recent proof of the strongest factor that the user has, or that proof in the form: the cookie of a
 * borrowed or stolen browser alone must not give access to keys, secrets or accounts. A rejection has
 * the message at the form's field.
 */
export async function reauthenticate(
  ctx: Context<State>,
  form: URLSearchParams,
): Promise<Rejection | undefined> {
  const { service } = ctx.state;
  const cookieToken = readSignInCookie(ctx.req.headers, service.config) ?? "";
  const user = signedIn(ctx.state);
  if (!needsReauthentication(ctx.state)) return undefined;
  const rejection = await check(ctx, form);
  if (rejection !== undefined) return rejection;
  await service.signIn.recordStepUp(cookieToken);
  ctx.state.user = { ...user, provenAt: service.runtime.now() };
  return undefined;
}

async function check(ctx: Context<State>, form: URLSearchParams): Promise<Rejection | undefined> {
  const typed = form.get(OWN_PASSWORD) ?? "";
  switch (signedInAccount(ctx.state).stepUp) {
    case "provider":
      return denied(
        t("Open Account, sign in again at your identity provider, then repeat this."),
      );
    case "password":
      return await checkPassword(ctx, typed);
    case "totp":
      return await checkCode(ctx, typed);
    case "passkey": {
      const response = readPasskeyResponse(form, OWN_PASSKEY);
      return response === undefined
        ? await checkCode(ctx, typed, "recovery")
        : await checkPasskey(ctx, response);
    }
  }
}

async function checkPassword(
  ctx: Context<State>,
  password: string,
): Promise<Rejection | undefined> {
  if (password === "") return denied(t("Enter your password to continue."));
  const { service, clientAddress: address } = ctx.state;
  const input = { password, address };
  const rejection = await service.signIn.checkPassword(signedInAccount(ctx.state), input);
  if (rejection === undefined) return undefined;
  if (rejection.rejected === "wrong_password") return denied(t("This is not your password."));
  const { message, ...rest } = signInRejection(rejection);
  return { ...rest, message: message ?? t("Try again in a moment.") };
}

async function checkCode(
  ctx: Context<State>,
  code: string,
  only?: "recovery",
): Promise<Rejection | undefined> {
  if (code === "") {
    return denied(
      only === undefined
        ? t("Enter the code of your authenticator app to continue.")
        : t("Confirm with your passkey to continue."),
    );
  }
  const user = signedInAccount(ctx.state);
  // Not of the cookie: that can be replaced, and its place must stay.
  const place = `sign-in of ${user.session.createdAt}`;
  const result = await ctx.state.service.factors.checkCode(user, code, { place, only });
  if (typeof result === "string") return undefined;
  const { clientAddress: address, service } = ctx.state;
  service.securityLog.codeRejected(user, { address, isLocked: isLocking(result) });
  return codeRejection(result);
}

async function checkPasskey(
  ctx: Context<State>,
  response: unknown,
): Promise<Rejection | undefined> {
  const { clientAddress: address, service } = ctx.state;
  const user = signedInAccount(ctx.state);
  const origin = passkeyOrigin(ctx);
  const use = { kind: "confirm", user, signIn: user.session.hash } as const;
  const isRight = origin !== undefined &&
    await service.passkeys.verify(use, { origin, response }) !== undefined;
  if (isRight) return undefined;
  service.securityLog.codeRejected(user, { address, isLocked: false });
  return denied(t("This passkey was not accepted. Try again."));
}

export function isLocking(result: CodeRejection): boolean {
  return result.rejected === "too_many_tries" || result.isLocked;
}

/** The answer to a code that was not accepted. */
export function codeRejection(result: CodeRejection): Rejection {
  if (result.rejected === "wrong_code") {
    return denied(t("This code is wrong, too old or already used."));
  }
  const { message, ...rest } = signInRejection(result);
  return { ...rest, message: message! };
}

function denied(message: string): Rejection {
  return { message, status: 403, headers: {} };
}
