import { type Context, HttpError } from "fresh";
import type { State } from "@/utils.ts";
import { isUuid } from "../../http/request_params.ts";
import { OidcError } from "../../services/oidc/oidc_error.ts";
import { withFlashMessage } from "../flash_messages.ts";
import { readForm } from "../read_form.ts";
import { clearOidcCookie, readOidcCookie } from "./oidc_cookie.ts";
import { signInClient } from "./sign_in_client.ts";
import { readSignInCookie, setSignInCookies } from "./sign_in_cookie.ts";

const LOGOUT_HEADERS = { "cache-control": "no-store" };

/** The tenant in the address of a request that concerns its own provider. */
export function tenantInPath(ctx: Context<State>): string {
  const { tenant } = ctx.params;
  if (tenant === undefined || !isUuid(tenant)) throw new HttpError(404);
  return tenant;
}

/** Where a provider leads back to: a tenant's own, or without a tenant the installation's. */
export async function finishOidc(ctx: Context<State>, tenant?: string): Promise<Response> {
  const { config, log, securityLog } = ctx.state.service;
  await ctx.state.rateLimiter.count();
  const response = await finish(ctx, tenant).catch((error) => {
    if (!(error instanceof OidcError)) throw error;
    const { clientAddress: address } = ctx.state;
    securityLog.oidcRejected({ address }, error.problem);
    log.warn("oidc: sign-in rejected", { reason: error.message, address });
    const at = tenant === undefined ? "" : `&tenant=${tenant}`;
    return ctx.redirect(`/sign-in?problem=${error.problem}${at}`, 303);
  });
  clearOidcCookie(response.headers, config);
  return response;
}

async function finish(ctx: Context<State>, tenant: string | undefined): Promise<Response> {
  const { config, oidc, oidcSessions, signIn } = ctx.state.service;
  const cookieToken = readSignInCookie(ctx.req.headers, config);
  const user = cookieToken && await signIn.authenticate(cookieToken) || undefined;
  // Owners test their connection before others can use it.
  const isOwn = tenant !== undefined && user?.tenant === tenant && user.role === "owner";
  const usable = await oidc.find(tenant);
  const at = usable ?? (isOwn ? await oidc.findUntested(tenant) : undefined);
  if (at === undefined) throw new HttpError(404);
  const result = await at.finish({
    params: ctx.url.searchParams,
    browser: readOidcCookie(ctx.req.headers, config),
    from: signInClient(ctx),
    current: user && cookieToken ? { user, cookieToken } : undefined,
    onlyTests: usable === undefined,
  });
  if ("linked" in result) return ctx.redirect(withFlashMessage(result.next, "oidc_linked"), 303);
  if ("tested" in result) {
    const problem = await oidc.recordTest(tenant!, result.tested);
    return ctx.redirect(`${result.next}${problem ? `?problem=${problem}` : ""}`, 303);
  }
  if (cookieToken) {
    await signIn.signOut(cookieToken, { address: ctx.state.clientAddress });
    await oidcSessions.end(cookieToken);
  }
  const response = ctx.redirect(result.next, 303);
  setSignInCookies(response.headers, result.tokens, config);
  return response;
}

/** A provider's server says which of its sessions ended. */
export async function logOutOidc(ctx: Context<State>, tenant?: string): Promise<Response> {
  const { log, oidc, runtime, securityLog } = ctx.state.service;
  await ctx.state.rateLimiter.count();
  // Also of a connection that was changed and not tested yet: its sign-ins go on.
  const at = tenant === undefined ? await oidc.find(tenant) : await oidc.findUntested(tenant);
  if (at === undefined) throw new HttpError(404);
  const token = (await readForm(ctx.req, runtime)).get("logout_token") ?? "";
  try {
    await at.logOut(token);
    return new Response(null, { headers: LOGOUT_HEADERS });
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    const { clientAddress: address } = ctx.state;
    securityLog.oidcRejected({ address }, "logout token");
    log.warn("oidc: logout token rejected", { reason: error.message, address });
    const rejection = { error: "invalid_request" };
    return Response.json(rejection, { status: 400, headers: LOGOUT_HEADERS });
  }
}
