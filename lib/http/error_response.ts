import { HttpError } from "fresh";
import { StoreUnavailableError } from "../committer/operation.ts";
import { ApiError, validationError } from "../errors.ts";
import { ClientDisconnectError } from "./client_disconnect_error.ts";
import type { ErrorEnvelope } from "../wire/error_codes.ts";

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
