import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import { addCorsHeaders, isBrowserPath, isPreflight, preflightResponse } from "./cors.ts";
import { errorResponse, toApiError } from "./error_response.ts";
import { headResponse } from "./head_response.ts";
import { logFailure } from "./log_failure.ts";
import { isApiPath, requireHost } from "./routable.ts";

/** Read by tools and pages as often as they like. */
const UNCOUNTED = "/v1/openapi.json";
/** Counted by the route, in a window of its own; as a request only when it is refused. */
const RESUMED = /^\/v1\/chat\/runs\/[^/]+\/stream$/;

/**
 * Stands at the root, because a request that matches no route passes only root middleware: under /v1
 * every answer, 404 and 405 included, is the envelope with `x-request-id`, and every browser path
 * carries its CORS headers.
 */
export async function apiMiddleware(ctx: Context<State>): Promise<Response> {
  const { pathname } = ctx.url;
  if (!isApiPath(pathname)) return await ctx.next();
  ctx.state.service.orphanedRuns.awaken();
  const browser = isBrowserPath(pathname);
  const response = browser && isPreflight(ctx.req) ? preflightResponse() : await answer(ctx);
  response.headers.set("x-request-id", ctx.state.requestId);
  ctx.state.meter.setHeaders(response.headers);
  // Answers hold session tokens and a tenant's prompts: what says nothing else is kept by nobody.
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
  if (browser) addCorsHeaders(response.headers);
  return response;
}

async function answer(ctx: Context<State>): Promise<Response> {
  try {
    const resumes = isResume(ctx);
    if (isCounted(ctx)) await ctx.state.meter.begin({ resumes });
    requireHost(ctx.req);
    const response = await ctx.next();
    if (!resumes) await count(ctx);
    return response;
  } catch (thrown) {
    return await refuse(ctx, thrown);
  } finally {
    ctx.state.meter.end();
  }
}

/** A request refused for its own faults counts as any other, and the limit is told before the fault. */
async function refuse(ctx: Context<State>, thrown: unknown): Promise<Response> {
  let error = toApiError(thrown);
  logFailure(ctx, { thrown, status: error.status });
  try {
    // A store that does not answer does not count either.
    if (error.code !== "service_unavailable") await count(ctx);
  } catch (limit) {
    error = toApiError(limit);
  }
  const response = errorResponse(error);
  return ctx.req.method === "HEAD" ? await headResponse(response) : response;
}

async function count(ctx: Context<State>): Promise<void> {
  if (isCounted(ctx)) await ctx.state.meter.count();
}

function isCounted(ctx: Context<State>): boolean {
  return ctx.url.pathname !== UNCOUNTED;
}

function isResume({ req, url }: Context<State>): boolean {
  return (req.method === "GET" || req.method === "HEAD") && RESUMED.test(url.pathname);
}
