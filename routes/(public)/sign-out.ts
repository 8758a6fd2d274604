import { clearSignInCookie, readSignInCookie } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { define } from "@/utils.ts";

/** POST only, so that a link or image on another page cannot sign anyone out. */
export const handler = define.handlers({
  async POST(ctx) {
    const { signIn, config } = ctx.state.service;
    const cookie = readSignInCookie(ctx.req.headers, config);
    if (cookie) await signIn.signOut(cookie, { address: ctx.state.clientAddress });
    const response = ctx.redirect("/sign-in", 303);
    clearSignInCookie(response.headers, config);
    return response;
  },
});
