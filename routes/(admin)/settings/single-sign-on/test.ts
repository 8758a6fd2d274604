import { HttpError } from "fresh";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { setOidcCookie } from "@/lib/dashboard/sign_in/oidc_cookie.ts";
import { readSignInCookie } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { OidcError } from "@/lib/services/oidc/oidc_error.ts";
import { define } from "@/utils.ts";

const PAGE = "/settings/single-sign-on";

/** Leads to the tenant's provider for a test. A link, because browsers let no form lead to another site. */
export const handler = define.handlers({
  async GET(ctx) {
    const { config, log, oidc } = ctx.state.service;
    const user = signedIn(ctx.state);
    const connection = await oidc.read(user.tenant);
    const at = connection && await oidc.findUntested(user.tenant);
    if (connection === undefined || at === undefined) throw new HttpError(404);
    const cookieToken = readSignInCookie(ctx.req.headers, config) ?? "";
    try {
      const { url, browser } = await at.start({
        ...{ next: PAGE, link: { user, cookieToken }, tests: connection.version },
      });
      const response = ctx.redirect(url, 303);
      setOidcCookie(response.headers, browser, config);
      return response;
    } catch (error) {
      if (!(error instanceof OidcError)) throw error;
      log.warn("oidc: a test cannot start", { reason: error.message });
      return ctx.redirect(`${PAGE}?problem=${error.problem}`, 303);
    }
  },
});
