import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { errorResponse, logFailure, toApiError } from "../http/error_response.ts";

/**
 * What a page of the dashboard asks by script: refusals are the envelope of /v1, because the script
 * has to tell them from each other. The guard of the dashboard stands before it as before any page.
 */
export function jsonHandler(
  answer: (ctx: Context<State>) => Promise<Response>,
): (ctx: Context<State>) => Promise<Response> {
  return async (ctx) => {
    const response = await answer(ctx).catch((thrown) => rejectRequest(ctx, thrown));
    response.headers.set("x-request-id", ctx.state.requestId);
    ctx.state.rateLimiter.setHeaders(response.headers);
    return response;
  };
}

function rejectRequest(ctx: Context<State>, thrown: unknown): Response {
  const error = toApiError(thrown);
  logFailure(ctx, { thrown, status: error.status });
  return errorResponse(error);
}
