import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { signedIn, signedInAccount } from "../authorization.ts";
import { withFlashMessage } from "../flash_messages.ts";
import { readSignInCookie, setSignInCookie } from "./sign_in_cookie.ts";

const PAGE = "/account/factors";

/**
 * What follows a factor that the user has just added. This browser has proven it. Returns the first recovery
 * codes, or a redirect if the user has some.
 */
export async function afterNewFactor(
  ctx: Context<State>,
  { kind, notice, headers = new Headers() }: {
    kind: "passkey" | "totp";
    notice: "passkey_added" | "totp_added";
    headers?: Headers;
  },
): Promise<Response | string[]> {
  const { config, factors, signIn } = ctx.state.service;
  const user = signedInAccount(ctx.state);
  const cookieToken = readSignInCookie(ctx.req.headers, config) ?? "";
  await signIn.recordFactor(cookieToken, kind);
  ctx.state.user = { ...signedIn(ctx.state), stepUp: kind, mustAddFactor: false };
  const codes = await factors.firstRecoveryCodes(user);
  return codes ?? redirect(notice, headers);
}

/** Ends the sign-ins that may rely on a removed factor, and gives this browser a new one. */
export async function replaceSignIns(ctx: Context<State>, headers: Headers): Promise<void> {
  const { config, ownSessions } = ctx.state.service;
  const cookieToken = readSignInCookie(ctx.req.headers, config) ?? "";
  const token = await ownSessions.signOutElsewhere(signedInAccount(ctx.state), {
    ...{ cookieToken, action: "end sign-ins" },
  });
  if (token !== undefined) setSignInCookie(headers, token, config);
}

/** The answer to a removed factor. */
export async function afterRemovedFactor(
  ctx: Context<State>,
  notice: "passkey_removed" | "totp_removed",
): Promise<Response> {
  const headers = new Headers();
  await replaceSignIns(ctx, headers);
  return redirect(notice, headers);
}

function redirect(notice: Parameters<typeof withFlashMessage>[1], headers: Headers): Response {
  headers.set("location", withFlashMessage(PAGE, notice));
  return new Response(null, { status: 303, headers });
}
