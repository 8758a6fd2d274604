import { csp, csrf, HttpError, type Middleware } from "fresh";
import type { State } from "@/utils.ts";
import { contentSecurityPolicy, newNonce } from "./content_security_policy.ts";

/** Makes Fresh put the nonce of its inline script into the policy; `pageHeadersMiddleware` reads it. */
const scriptNonceMiddleware = csp<State>({ csp: ["script-src 'unsafe-inline'"], useNonce: true });

/** Behind a TLS proxy the request's URL is http, so the public origin is allowed too. */
const csrfMiddleware = csrf<State>({
  origin: (origin, ctx) => {
    const { service } = ctx.state as State;
    return origin === ctx.url.origin || origin === new URL(service.baseUrl).origin;
  },
});

/** Logs a cross-site form submission. Only `csrfMiddleware` throws a 403 below this. */
async function logCrossSiteRequests(ctx: Parameters<Middleware<State>>[0]): Promise<Response> {
  try {
    return await ctx.next();
  } catch (error) {
    if (error instanceof HttpError && error.status === 403) {
      const { clientAddress: address, service } = ctx.state;
      service.securityLog.crossSiteRejected({ address, route: ctx.route ?? ctx.url.pathname });
    }
    throw error;
  }
}

async function pageHeadersMiddleware(ctx: Parameters<Middleware<State>>[0]): Promise<Response> {
  const styleNonce = ctx.state.styleNonce = newNonce();
  const response = await ctx.next();
  const { headers } = response;
  // Event streams set their own.
  const streams = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (!streams) headers.set("cache-control", "no-store");
  const freshPolicy = headers.get("content-security-policy") ?? "";
  const scriptNonce = /'nonce-([^']+)'/.exec(freshPolicy)?.[1];
  const https = ctx.state.service.baseUrl.startsWith("https:");
  const { framesOwnPages = false, formTargets } = ctx.state;
  const policy = contentSecurityPolicy({
    ...{ scriptNonce, styleNonce, https, framesOwnPages, formTargets },
  });
  headers.set("content-security-policy", ctx.state.ownPolicy ?? policy);
  const links = headers.get("link");
  if (links !== null && scriptNonce !== undefined) {
    // Fresh preloads the page's scripts, which also need the nonce.
    headers.set("link", links.replaceAll('as="script"', `as="script"; nonce="${scriptNonce}"`));
  }
  return response;
}

export const dashboardSecurity: Middleware<State>[] = [
  pageHeadersMiddleware,
  scriptNonceMiddleware,
  logCrossSiteRequests,
  csrfMiddleware,
];
