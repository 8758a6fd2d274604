import { clearSignInCookie, readSignInCookie } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { define } from "@/utils.ts";

/** POST only, so that a link or image on another page cannot sign anyone out. */
export const handler = define.handlers({
  async POST(ctx) {
    const { signIn, oidcSessions, config, baseUrl } = ctx.state.service;
    const cookie = readSignInCookie(ctx.req.headers, config);
    let elsewhere: string | undefined;
    if (cookie) {
      await signIn.signOut(cookie, { address: ctx.state.clientAddress });
      elsewhere = await oidcSessions.end(cookie, new URL("/sign-in", baseUrl).href);
    }
    const response = elsewhere === undefined
      ? ctx.redirect("/sign-in", 303)
      : continueAt(elsewhere);
    clearSignInCookie(response.headers, config);
    return response;
  },
});

/** Not a redirect: browsers do not let the answer to a form lead to another site. */
function continueAt(url: string): Response {
  const href = url.replaceAll("&", "&amp;").replaceAll('"', "%22").replaceAll("<", "%3C");
  const body =
    `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${href}">` +
    `<title>…</title>`;
  return new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });
}
