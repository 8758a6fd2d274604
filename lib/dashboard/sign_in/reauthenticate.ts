import type { Context } from "fresh";
import { isPasswordRecent } from "../../services/signed_in_user.ts";
import type { State } from "@/utils.ts";
import { readSignInCookie } from "./sign_in_cookie.ts";
import { signInRejection } from "./sign_in_rejection.ts";
import { signedIn } from "../permissions.ts";

/** The field of a form in which somebody gives their own password again. */
export const OWN_PASSWORD = "own_password";

/** Why a form was not carried out: what to say at its password field, and how to answer. */
export interface ReauthenticationRejection {
  message: string;
  status: number;
  headers: Record<string, string>;
}

/** Whether a form that opens doors has to ask for the password first. */
export function needsReauthentication({ service, user }: State): boolean {
  return user === undefined || !isPasswordRecent(user, service.runtime.now());
}

/**
 * Makes sure that whoever sent this form gave their password lately, or gives it with the form: a
 * cookie alone (a borrowed browser, a stolen one) must not reach keys, secrets or accounts. The form
 * itself asks, so that nothing that was typed is lost on the way.
 */
export async function reauthenticate(
  ctx: Context<State>,
  form: URLSearchParams,
): Promise<ReauthenticationRejection | undefined> {
  if (!needsReauthentication(ctx.state)) return undefined;
  const { service, clientAddress: address } = ctx.state;
  const password = form.get(OWN_PASSWORD) ?? "";
  if (password === "") {
    return { message: "Enter your password to go on.", status: 403, headers: {} };
  }
  const cookieToken = readSignInCookie(ctx.req.headers, service.config) ?? "";
  const user = signedIn(ctx.state);
  const refused = await service.accounts.reauthenticate(user, { cookieToken, password, address });
  if (refused === undefined) {
    ctx.state.user = { ...user, provenAt: service.runtime.now() };
    return undefined;
  }
  if (refused.refused === "wrong_password") {
    return { message: "This is not your password.", status: 403, headers: {} };
  }
  const { status, headers, message } = signInRejection(refused);
  return { message: message ?? "Try again in a moment.", status, headers };
}
