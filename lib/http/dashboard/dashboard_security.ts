import { csp, csrf, HttpError, type Middleware } from "fresh";
import type { State } from "@/utils.ts";

/** Scripts only by nonce, nothing inline, no frames, no other site. */
const DIRECTIVES = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

const contentPolicy = csp<State>({ csp: DIRECTIVES, useNonce: true });

/** Behind a TLS proxy the request's own URL is http, so the public address counts as ours too. */
const sameOrigin = csrf<State>({
  origin: (origin, ctx) => {
    const { service } = ctx.state as State;
    return origin === ctx.url.origin || origin === new URL(service.baseUrl).origin;
  },
});

/** Writes down that a page of another site sent a form. Nothing below throws a 403 but `sameOrigin`. */
async function noteCrossSite(ctx: Parameters<Middleware<State>>[0]): Promise<Response> {
  try {
    return await ctx.next();
  } catch (error) {
    if (error instanceof HttpError && error.status === 403) {
      const { clientAddress: address, service } = ctx.state;
      service.securityLog.crossSiteRefused({ address, route: ctx.route ?? ctx.url.pathname });
    }
    throw error;
  }
}

/** Headers of every dashboard page: nothing is cached, sniffed, framed or told to other sites. */
async function pageHeaders(ctx: Parameters<Middleware<State>>[0]): Promise<Response> {
  const response = await ctx.next();
  const { headers } = response;
  // Streams say for themselves that nobody may keep or hold them back.
  const streams = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (!streams) headers.set("cache-control", "no-store");
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-frame-options", "DENY");
  headers.set("referrer-policy", "same-origin");
  const policy = headers.get("content-security-policy");
  if (policy !== null && !ctx.state.service.baseUrl.startsWith("https:")) {
    // On plain http this directive would send every form and script to a port that is not there.
    const plain = policy.replace(/;?\s*upgrade-insecure-requests/, "");
    headers.set("content-security-policy", plain);
  }
  return response;
}

/** In this order, for dashboard routes only: /v1 is for other sites' servers and has its own rules. */
export const dashboardSecurity: Middleware<State>[] = [
  pageHeaders,
  contentPolicy,
  noteCrossSite,
  sameOrigin,
];
