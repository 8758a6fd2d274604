import { toRetryAfterSeconds } from "../billing/rate_window.ts";
import { ModelError } from "../providers/model.ts";
import { ApiError } from "../schemas/api_error.ts";
import { rejectApiKey, rejectSessionToken } from "../schemas/reject_credentials.ts";
import type { RunSource } from "../store/runs/run_record.ts";
import { RunStoppedError } from "./run.ts";

/** Longer waits that providers ask for are not passed on. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Answers a message whose credential was revoked during admission like any later message. */
export function rejectRevokedCredential(kind: RunSource["kind"]): never {
  if (kind === "session") rejectSessionToken();
  rejectApiKey();
}

/**
 * The error response for a run that failed before its first frame. `attempted` is false if the time was
 * up before any model was tried, so that no provider is blamed.
 */
export function toStartError(error: unknown, { attempted }: { attempted: boolean }): Error {
  if (error instanceof ModelError) return providerError(error);
  if (error instanceof RunStoppedError) {
    if (error.reason === "interrupted") return shuttingDownError();
    if (error.reason === "timeout") return timeoutError(attempted);
    return new ApiError("service_unavailable", "the run was stopped before a model accepted it");
  }
  return error instanceof Error ? error : new Error("the run did not begin");
}

function timeoutError(attempted: boolean): ApiError {
  const message = attempted
    ? "no model accepted within the agent's wallClockMs"
    : "the agent's wallClockMs was over before any model was asked";
  return new ApiError("provider_timeout", message);
}

/** Passes on how long a rate-limited provider asks to wait. */
function providerError({ code, message, retryAfterMs }: ModelError): ApiError {
  if (code !== "provider_rate_limited" || retryAfterMs === undefined) {
    return new ApiError(code, message);
  }
  const seconds = toRetryAfterSeconds(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  return new ApiError(code, message, { headers: { "retry-after": String(seconds) } });
}

/** The error while the process shuts down: its successor may take the retry. */
export function shuttingDownError(): ApiError {
  const headers = { "retry-after": "2" };
  return new ApiError("service_unavailable", "the service is restarting; try again", { headers });
}
