import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import { addCorsHeaders, isBrowserPath, isPreflight, preflightResponse } from "./cors.ts";
import { errorResponse, toApiError } from "./error_response.ts";
import { logFault } from "./log_fault.ts";

/**
 * Stands at the root, because a request that matches no route passes only root middleware: under /v1
 * every answer, 404 and 405 included, is the envelope with `x-request-id`, and every browser path
 * carries its CORS headers.
 */
export async function apiMiddleware(ctx: Context<State>): Promise<Response> {
  const { pathname } = ctx.url;
  if (pathname !== "/v1" && !pathname.startsWith("/v1/")) return await ctx.next();
  const browser = isBrowserPath(pathname);
  const response = browser && isPreflight(ctx.req) ? preflightResponse() : await answer(ctx);
  response.headers.set("x-request-id", ctx.state.requestId);
  // Answers hold session tokens and a tenant's prompts: what says nothing else is kept by nobody.
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
  if (browser) addCorsHeaders(response.headers);
  return response;
}

async function answer(ctx: Context<State>): Promise<Response> {
  try {
    return await ctx.next();
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.code === "internal_error") logFault(ctx, thrown);
    return errorResponse(error);
  }
}
