import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { errorResponse, logFailure, toApiError } from "../http/error_response.ts";
import { recordLimit } from "../http/http_metrics.ts";
import { ApiError } from "../schemas/api_error.ts";
import { translateMessage } from "./texts/service_message.ts";

/** A dashboard route called by scripts: errors use the JSON envelope of /v1. */
export function jsonHandler(
  handle: (ctx: Context<State>) => Promise<Response>,
): (ctx: Context<State>) => Promise<Response> {
  return async (ctx) => {
    const response = await handle(ctx).catch((thrown) => {
      const error = toApiError(thrown);
      logFailure(ctx, { thrown, status: error.status });
      recordLimit(ctx.state.service.metrics.http, error);
      const { code, details, headers } = error;
      return errorResponse(
        new ApiError(code, translateMessage(error.message), { ...details && { details }, headers }),
      );
    });
    response.headers.set("x-request-id", ctx.state.requestId);
    ctx.state.rateLimiter.setHeaders(response.headers);
    return response;
  };
}
