import { type Context, HttpError } from "fresh";
import { StoreUnavailableError } from "../store/tx/operation.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import { ClientDisconnectError } from "./bodies/read_bounded.ts";
import type { ErrorEnvelope } from "../schemas/error_codes.ts";
import { addCorsHeaders, isBrowserPath } from "./cors.ts";
import { isApiPath } from "./normalize_request.ts";
import type { State } from "@/utils.ts";

export function errorResponse(error: ApiError): Response {
  const envelope: ErrorEnvelope = {
    code: error.code,
    message: error.message,
    http: error.status,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
  const headers = new Headers(error.headers);
  if (error.status === 503 && !headers.has("retry-after")) headers.set("retry-after", "1");
  return Response.json(envelope, { status: error.status, headers });
}

/** Unknown errors become a 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreUnavailableError) {
    const message = "the store is busy or cannot be reached; try again soon";
    return new ApiError("service_unavailable", message, { headers: { "retry-after": "1" } });
  }
  if (error instanceof ClientDisconnectError) {
    return validationError([{ path: "", code: "body_incomplete", message: error.message }]);
  }
  const mapped = error instanceof HttpError ? fromHttpError(error) : undefined;
  return mapped ?? new ApiError("internal_error", "the request failed on our side");
}

/** Errors of the router and of `readForm`. */
function fromHttpError({ status, message }: HttpError): ApiError | undefined {
  if (status === 404) return new ApiError("not_found", "there is nothing at this address");
  if (status === 405) {
    return new ApiError("method_not_allowed", "this address does not take that method");
  }
  if (status === 408) return validationError([{ path: "", code: "body_timeout", message }]);
  if (status === 413) return new ApiError("payload_too_large", message);
  return status === 415 ? new ApiError("unsupported_media_type", message) : undefined;
}

const UNAVAILABLE = "the service is starting or cannot reach its store; try again soon";

/** The 503 while the service is not open; the cause is logged where it is opened. */
export function unavailableResponse(url: URL): Response {
  // Without no-store a browser could show the page after the outage.
  const headers = { "retry-after": "2", "cache-control": "no-store" };
  if (!isApiPath(url.pathname)) return new Response(UNAVAILABLE, { status: 503, headers });
  const response = errorResponse(new ApiError("service_unavailable", UNAVAILABLE, { headers }));
  response.headers.set("x-request-id", crypto.randomUUID());
  if (isBrowserPath(url.pathname)) addCorsHeaders(response.headers);
  return response;
}

/** The status that nginx logs when the client closed the request; never sent. */
const CLIENT_CLOSED_REQUEST = 499;

/** An `ApiError` that the client receives with `status` is not logged. */
export function logFailure(
  ctx: Context<State>,
  { thrown, status }: { thrown: unknown; status: number },
): void {
  const { requestId, service } = ctx.state;
  if (thrown instanceof ClientDisconnectError) {
    const fields = { requestId, route: ctx.route, status: CLIENT_CLOSED_REQUEST };
    return service.log.debug("client disconnected while sending its body", fields);
  }
  const isExpected = thrown instanceof ApiError && thrown.status === status;
  if (status < 500 || isExpected) return;
  const error = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  service.log.error("request failed", { requestId, route: ctx.route, error, cause });
}

/** Statuses of `ApiError`s that a page may show; a page handles the others itself. */
const PAGE_STATUSES = new Set([405, 429, 503]);

export function toPageError(error: unknown): HttpError | ApiError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof StoreUnavailableError || error instanceof ClientDisconnectError) {
    return toApiError(error);
  }
  return error instanceof ApiError && PAGE_STATUSES.has(error.status) ? error : undefined;
}
