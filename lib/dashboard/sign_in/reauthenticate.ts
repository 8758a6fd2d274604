import type { Context } from "fresh";
import { isPasswordRecent } from "../../services/signed_in_user.ts";
import type { State } from "@/utils.ts";
import { readSignInCookie } from "./sign_in_cookie.ts";
import { signInRejection } from "./sign_in_rejection.ts";
import { signedIn } from "../authorization.ts";
import { t } from "../texts/translate.ts";

export const OWN_PASSWORD = "own_password";

export function needsReauthentication({ service, user }: State): boolean {
  return user === undefined || !isPasswordRecent(user, service.runtime.now());
}

/**
 * Requires a recent password check, or the password in the form: the cookie of a borrowed or stolen
 * browser alone must not give access to keys, secrets or accounts. A rejection has the message at the
 * form's password field.
 */
export async function reauthenticate(
  ctx: Context<State>,
  form: URLSearchParams,
): Promise<{ message: string; status: number; headers: Record<string, string> } | undefined> {
  if (!needsReauthentication(ctx.state)) return undefined;
  const { service, clientAddress: address } = ctx.state;
  const password = form.get(OWN_PASSWORD) ?? "";
  if (password === "") {
    return { message: t("Enter your password to continue."), status: 403, headers: {} };
  }
  const cookieToken = readSignInCookie(ctx.req.headers, service.config) ?? "";
  const user = signedIn(ctx.state);
  const rejection = await service.signIn.reauthenticate(user, { cookieToken, password, address });
  if (rejection === undefined) {
    ctx.state.user = { ...user, provenAt: service.runtime.now() };
    return undefined;
  }
  if (rejection.rejected === "wrong_password") {
    return { message: t("This is not your password."), status: 403, headers: {} };
  }
  const { status, headers, message } = signInRejection(rejection);
  return { message: message ?? t("Try again in a moment."), status, headers };
}
