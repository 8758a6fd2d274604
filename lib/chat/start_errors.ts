import { rejectApiKey, rejectSessionToken } from "../schemas/credential_errors.ts";
import { ApiError } from "../schemas/api_error.ts";
import { toRetryAfterSeconds } from "../billing/rate_window.ts";
import { ModelError } from "../providers/model.ts";
import type { RunSource } from "../store/runs/run_record.ts";
import { RunStoppedError } from "./run.ts";

/** A vendor that asks for longer is not believed: it may be asked again after an hour. */
const LONGEST_RETRY_MS = 3_600_000;

/** A message that was let in just before its credential was revoked is answered as any after it. */
export function rejectRevokedCredential(kind: RunSource["kind"]): never {
  if (kind === "session") rejectSessionToken();
  rejectApiKey();
}

/**
 * What whoever sent a message is told when its run failed before any frame. `asked` says whether any
 * model was asked: the time may be up before one was, and then no vendor is to blame.
 */
export function toStartError(error: unknown, { asked }: { asked: boolean }): Error {
  if (error instanceof ModelError) return providerError(error);
  if (error instanceof RunStoppedError) {
    if (error.reason === "interrupted") return shuttingDownError();
    if (error.reason === "timeout") return timeoutError(asked);
    return new ApiError("service_unavailable", "the run was stopped before a model accepted it");
  }
  return error instanceof Error ? error : new Error("the run did not begin");
}

function timeoutError(asked: boolean): ApiError {
  const message = asked
    ? "no model accepted within the agent's wallClockMs"
    : "the agent's wallClockMs was over before any model was asked";
  return new ApiError("provider_timeout", message);
}

/** A busy vendor's own wait is passed on. */
function providerError({ code, message, retryAfterMs }: ModelError): ApiError {
  if (code !== "provider_rate_limited" || retryAfterMs === undefined) {
    return new ApiError(code, message);
  }
  const seconds = toRetryAfterSeconds(Math.min(retryAfterMs, LONGEST_RETRY_MS));
  return new ApiError(code, message, { headers: { "retry-after": String(seconds) } });
}

/** What is told while the process ends: another may be there by then. */
export function shuttingDownError(): ApiError {
  const headers = { "retry-after": "2" };
  return new ApiError("service_unavailable", "the service is restarting; try again", { headers });
}
