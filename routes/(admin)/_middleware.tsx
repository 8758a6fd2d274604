import { ErrorView } from "@/components/ErrorView.tsx";
import { dashboardSecurity } from "@/lib/dashboard/dashboard_security.ts";
import { NotChangedView } from "@/components/tenants/NotChangedView.tsx";
import {
  isAccountRoute,
  isAuthorized,
  isFactorRoute,
  isSuspended,
  runAsUser,
  signedIn,
} from "@/lib/dashboard/authorization.ts";
import {
  OtherTenantError,
  requireShownTenant,
  SignInEndedError,
} from "@/lib/dashboard/access_errors.ts";
import { checkAfterBody } from "@/lib/http/bodies/body_checks.ts";
import { accountOf } from "@/lib/services/signed_in_user.ts";
import { setSender } from "@/lib/http/bodies/request_sender.ts";
import { nextPage, signInRedirect } from "@/lib/dashboard/sign_in/sign_in_redirect.ts";
import { signInClient } from "@/lib/dashboard/sign_in/sign_in_client.ts";
import { readSignInCookie } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

const requireSignIn = define.middleware(async (ctx) => {
  const { setup, signIn, config, baseUrl } = ctx.state.service;
  const cookie = readSignInCookie(ctx.req.headers, config);
  const user = cookie && await signIn.authenticate(cookie, signInClient(ctx));
  if (!user) {
    if (cookie && await signIn.pendingUser(cookie)) {
      const next = nextPage(ctx.req, { url: ctx.url, baseUrl });
      return ctx.redirect(`/sign-in/factor?next=${encodeURIComponent(next)}`, 303);
    }
    if (await setup.isNeeded()) return ctx.redirect("/setup", 303);
    return ctx.redirect(signInRedirect(ctx.req, { url: ctx.url, baseUrl }), 303);
  }
  ctx.state.user = user;
  setSender(ctx.req, { tenant: user.tenant });
  checkAfterBody(ctx.req, async (form) => {
    const now = await signIn.reread(cookie, user);
    const route = ctx.route ?? ctx.url.pathname;
    const isLocked = now === undefined || isSuspended(now, ctx.req.method, route) ||
      (now.mustAddFactor && !isFactorRoute(route));
    if (isLocked) throw new SignInEndedError();
    if (form !== undefined) requireShownTenant(form, user);
  });
  const isOwn = isAccountRoute(ctx.route ?? ctx.url.pathname);
  try {
    return await runAsUser(isOwn ? accountOf(user) : user, () => ctx.next());
  } catch (error) {
    if (error instanceof OtherTenantError) {
      const text = t(
        "You switched to another tenant in another tab, so nothing was changed. Switch back, then try again.",
      );
      const link = { href: "/account#tenants", label: t("Your tenants") };
      return await ctx.render(<NotChangedView status={409} {...{ text, link }} />, { status: 409 });
    }
    if (!(error instanceof SignInEndedError)) throw error;
    return ctx.redirect(signInRedirect(ctx.req, { url: ctx.url, baseUrl }), 303);
  }
});

/** Checks the role for every route of the dashboard. */
const requireRole = define.middleware(async (ctx) => {
  const route = ctx.route ?? ctx.url.pathname;
  const user = signedIn(ctx.state);
  if (isSuspended(user, ctx.req.method, route)) {
    const text = t("Your organization is suspended, so nothing can be changed. Ask the operator.");
    const link = { href: "/", label: t("Back to the dashboard") };
    return await ctx.render(<NotChangedView status={403} {...{ text, link }} />, { status: 403 });
  }
  if (user.mustAddFactor && !isFactorRoute(route)) return ctx.redirect("/account/factors", 303);
  if (isAuthorized(user, ctx.req.method, route)) return await ctx.next();
  const { clientAddress: address, service } = ctx.state;
  service.securityLog.roleRejected(user, { address, route });
  const reading = ctx.req.method === "GET" || ctx.req.method === "HEAD";
  return await ctx.render(<ErrorView status={403} reading={reading} />, { status: 403 });
});

export default define.middleware([...dashboardSecurity, requireSignIn, requireRole]);
