import { HttpError } from "fresh";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { passkeyOrigin, readPasskeyResponse } from "@/lib/dashboard/sign_in/passkey_origin.ts";
import { readSignInCookie, setSignInCookies } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { signInClient } from "@/lib/dashboard/sign_in/sign_in_client.ts";
import { safeRedirectPath } from "@/lib/dashboard/sign_in/sign_in_redirect.ts";
import { define } from "@/utils.ts";

/** Signs in with a passkey alone: the device has verified the person. */
export const handler = define.handlers({
  async POST(ctx) {
    const origin = passkeyOrigin(ctx);
    if (origin === undefined) throw new HttpError(404);
    await ctx.state.rateLimiter.count();
    const { config, passkeys, runtime, signIn, securityLog } = ctx.state.service;
    const { clientAddress: address } = ctx.state;
    const form = await readForm(ctx.req, runtime);
    const next = safeRedirectPath(form.get("next"), "/home");
    const response = readPasskeyResponse(form, "passkey");
    const user = await passkeys.verify({ kind: "sign in" }, { origin, response });
    if (user === undefined) {
      securityLog.passkeyRejected({ address });
      return ctx.redirect(`/sign-in?problem=passkey&next=${encodeURIComponent(next)}`, 303);
    }
    const replaced = readSignInCookie(ctx.req.headers, config);
    if (replaced) await signIn.signOut(replaced, { address });
    const tokens = await signIn.createSignIn(user, { from: signInClient(ctx), factor: "passkey" });
    const answer = ctx.redirect(next, 303);
    setSignInCookies(answer.headers, tokens, config);
    return answer;
  },
});
