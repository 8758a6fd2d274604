import { OidcError } from "@/lib/services/oidc/oidc_error.ts";
import { setOidcCookie } from "@/lib/dashboard/sign_in/oidc_cookie.ts";
import { safeRedirectPath } from "@/lib/dashboard/sign_in/sign_in_redirect.ts";
import { isUuid } from "@/lib/http/request_params.ts";
import { HttpError } from "fresh";
import { define } from "@/utils.ts";

/** Leads to the provider of the installation, or of a tenant. A link, because browsers do not let a form lead to another site. */
export const handler = define.handlers({
  async GET(ctx) {
    const { config, log, oidc } = ctx.state.service;
    await ctx.state.rateLimiter.count();
    const { searchParams } = ctx.url;
    const tenant = searchParams.get("tenant") ?? undefined;
    const at = tenant === undefined || isUuid(tenant) ? await oidc.find(tenant) : undefined;
    if (at === undefined) throw new HttpError(404);
    const next = safeRedirectPath(searchParams.get("next"), "/home");
    try {
      const again = searchParams.get("again") === "yes";
      const { url, browser } = await at.start({ next, again });
      const response = ctx.redirect(url, 303);
      setOidcCookie(response.headers, browser, config);
      return response;
    } catch (error) {
      if (!(error instanceof OidcError)) throw error;
      log.warn("oidc: sign-in cannot start", { reason: error.message });
      const place = tenant === undefined ? "" : `&tenant=${tenant}`;
      return ctx.redirect(`/sign-in?problem=${error.problem}${place}`, 303);
    }
  },
});
