import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import { addCorsHeaders, isBrowserPath, isPreflight, preflightResponse } from "./cors.ts";
import { errorResponse, logFailure, toApiError } from "./error_response.ts";
import { isOpenAiPath, openAiErrorResponse } from "./openai/openai_error.ts";
import { recordLimit } from "./http_metrics.ts";
import { headResponse } from "./head_response.ts";
import { KeyAddressError } from "./key_address_error.ts";
import { isApiPath, requireValidHost } from "./normalize_request.ts";

const UNLIMITED_PATH = "/v1/openapi.json";
/** The route counts these in a separate window; only a rejected one also counts as a request. */
const RESUME_PATH = /^\/v1\/chat\/(?:runs|conversations)\/[^/]+\/stream$/;

/** Root middleware, because a request under /v1 that matches no route reaches no other. */
export async function apiMiddleware(ctx: Context<State>): Promise<Response> {
  const { pathname } = ctx.url;
  if (!isApiPath(pathname)) return await ctx.next();
  ctx.state.service.orphanedRuns.wake();
  const browser = isBrowserPath(pathname);
  const response = browser && isPreflight(ctx.req)
    ? preflightResponse(pathname)
    : await handleRequest(ctx);
  response.headers.set("x-request-id", ctx.state.requestId);
  ctx.state.rateLimiter.setHeaders(response.headers);
  // Responses hold session tokens and prompts.
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
  if (browser) addCorsHeaders(response.headers);
  if (browser && usesProofs(ctx.req, response)) {
    response.headers.set("dpop-nonce", await ctx.state.service.proofNonces.current());
  }
  return response;
}

/** Clients that sign their requests always have a nonce for the next one. */
function usesProofs(req: Request, { headers }: Response): boolean {
  return req.headers.has("dpop") || headers.get("www-authenticate")?.startsWith("DPoP ") === true;
}

async function handleRequest(ctx: Context<State>): Promise<Response> {
  try {
    const { req: { method }, url } = ctx;
    const resumes = ["GET", "HEAD"].includes(method) && RESUME_PATH.test(url.pathname);
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

/** Counts the rejected request too; reaching a limit takes precedence over the original error. */
async function rejectRequest(ctx: Context<State>, thrown: unknown): Promise<Response> {
  const { metrics, securityLog } = ctx.state.service;
  if (thrown instanceof KeyAddressError) {
    const { id, name, tenant } = thrown.apiKey;
    securityLog.keyAddressRejected({
      address: ctx.state.clientAddress,
      apiKey: { id, name, tenant },
    });
  }
  let error = toApiError(thrown);
  logFailure(ctx, { thrown, status: error.status });
  try {
    // Counting needs the store.
    if (error.code !== "service_unavailable") await countRequest(ctx);
  } catch (limitError) {
    error = toApiError(limitError);
  }
  recordLimit(metrics.http, error);
  const response = isOpenAiPath(ctx.url.pathname)
    ? openAiErrorResponse(error)
    : errorResponse(error);
  return ctx.req.method === "HEAD" ? await headResponse(response) : response;
}

async function countRequest(ctx: Context<State>): Promise<void> {
  if (isRateLimited(ctx)) await ctx.state.rateLimiter.count();
}

function isRateLimited(ctx: Context<State>): boolean {
  return ctx.url.pathname !== UNLIMITED_PATH;
}
