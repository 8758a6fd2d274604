import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import { addCorsHeaders, isBrowserPath, isPreflight, preflightResponse } from "./cors.ts";
import { errorResponse, logFailure, toApiError } from "./error_response.ts";
import { headResponse } from "./head_response.ts";
import { isApiPath, requireValidHost } from "./normalize_request.ts";

/** Read by tools and pages as often as they like. */
const UNLIMITED_PATH = "/v1/openapi.json";
/** Counted by the route, in a window of its own; as a request only when it is refused. */
const RESUME_PATH = /^\/v1\/chat\/runs\/[^/]+\/stream$/;

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
  const response = browser && isPreflight(ctx.req) ? preflightResponse() : await handleRequest(ctx);
  response.headers.set("x-request-id", ctx.state.requestId);
  ctx.state.rateLimiter.setHeaders(response.headers);
  // Answers hold session tokens and a tenant's prompts: what says nothing else is kept by nobody.
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
  if (browser) addCorsHeaders(response.headers);
  return response;
}

async function handleRequest(ctx: Context<State>): Promise<Response> {
  try {
    const resumes = isResume(ctx);
    if (isRateLimited(ctx)) await ctx.state.rateLimiter.admitRequest({ resumes });
    requireValidHost(ctx.req);
    const response = await ctx.next();
    if (!resumes) await countRequest(ctx);
    return response;
  } catch (thrown) {
    return await rejectRequest(ctx, thrown);
  } finally {
    ctx.state.rateLimiter.finish();
  }
}

/** A request refused for its own faults counts as any other, and the limit is told before the fault. */
async function rejectRequest(ctx: Context<State>, thrown: unknown): Promise<Response> {
  let error = toApiError(thrown);
  logFailure(ctx, { thrown, status: error.status });
  try {
    // A store that does not answer does not count either.
    if (error.code !== "service_unavailable") await countRequest(ctx);
  } catch (limit) {
    error = toApiError(limit);
  }
  const response = errorResponse(error);
  return ctx.req.method === "HEAD" ? await headResponse(response) : response;
}

async function countRequest(ctx: Context<State>): Promise<void> {
  if (isRateLimited(ctx)) await ctx.state.rateLimiter.count();
}

function isRateLimited(ctx: Context<State>): boolean {
  return ctx.url.pathname !== UNLIMITED_PATH;
}

function isResume({ req, url }: Context<State>): boolean {
  return (req.method === "GET" || req.method === "HEAD") && RESUME_PATH.test(url.pathname);
}
