import { type Context, HttpError } from "fresh";
import { StoreUnavailableError } from "../store/tx/operation.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import { ClientDisconnectError } from "./bodies/read_bounded.ts";
import type { ErrorEnvelope } from "../schemas/error_codes.ts";
import { addCorsHeaders, isBrowserPath } from "./cors.ts";
import { isApiPath } from "./normalize_request.ts";
import type { State } from "@/utils.ts";

/** The one JSON envelope of every refused /v1 request. */
export function errorResponse(error: ApiError): Response {
  const envelope: ErrorEnvelope = {
    code: error.code,
    message: error.message,
    http: error.status,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
  const headers = new Headers(error.headers);
  // Who is told to come back is told when, whoever refused.
  if (error.status === 503 && !headers.has("retry-after")) headers.set("retry-after", "1");
  return Response.json(envelope, { status: error.status, headers });
}

/** What a thrown value is told as: our refusals as they are, HTTP's by status, else 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreUnavailableError) {
    const headers = { "retry-after": "1" };
    return new ApiError(
      "service_unavailable",
      "the store is busy or cannot be reached; try again soon",
      { headers },
    );
  }
  if (error instanceof ClientDisconnectError) {
    return validationError([{ path: "", code: "body_incomplete", message: error.message }]);
  }
  const told = error instanceof HttpError ? fromHttpError(error) : undefined;
  return told ?? new ApiError("internal_error", "the request failed on our side");
}

/** The router's own refusals, and those of a form that a page's script sent. */
function fromHttpError({ status, message }: HttpError): ApiError | undefined {
  switch (status) {
    case 404:
      return new ApiError("not_found", "there is nothing at this address");
    case 405:
      return new ApiError("method_not_allowed", "this address does not take that method");
    case 408:
      return validationError([{ path: "", code: "body_timeout", message }]);
    case 413:
      return new ApiError("payload_too_large", message);
    case 415:
      return new ApiError("unsupported_media_type", message);
  }
}

const MESSAGE = "the service is starting or cannot reach its store; try again soon";

/**
 * The answer while there is no service behind the App: in the envelope for /v1, readable by browsers
 * where they may call, a sentence elsewhere. The reason is in the log of whoever opens the service.
 */
export function unavailableResponse(url: URL): Response {
  // A page that a browser kept would tell it of the outage long after that is over.
  const headers = { "retry-after": "2", "cache-control": "no-store" };
  if (!isApiPath(url.pathname)) return new Response(MESSAGE, { status: 503, headers });
  const response = errorResponse(new ApiError("service_unavailable", MESSAGE, { headers }));
  response.headers.set("x-request-id", crypto.randomUUID());
  if (isBrowserPath(url.pathname)) addCorsHeaders(response.headers);
  return response;
}

/** The status nginx logs when the client closed the request; it is never sent. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Logs a request that ended in a thrown value: what failed on our side with its stack, of which the
 * caller is told nothing; a client that broke off in one line at debug level. A refusal that the
 * caller was told, as `status`, is not logged.
 */
export function logFailure(
  ctx: Context<State>,
  { thrown, status }: { thrown: unknown; status: number },
): void {
  const { requestId, service } = ctx.state;
  if (thrown instanceof ClientDisconnectError) {
    const fields = { requestId, route: ctx.route, status: CLIENT_CLOSED_REQUEST };
    service.log.debug("client disconnected while sending its body", fields);
    return;
  }
  const isRefusal = thrown instanceof ApiError && thrown.status === status;
  if (status < 500 || isRefusal) return;
  const error = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  service.log.error("request failed", { requestId, route: ctx.route, error, cause });
}
