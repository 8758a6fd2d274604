import { ApiError } from "../schemas/api_error.ts";
import type { ErrorCode } from "../schemas/error_codes.ts";
import { LIMIT_KINDS, type LimitScope } from "./limits.ts";
import { toRetryAfterSeconds } from "./rate_window.ts";

export interface LimitRejection {
  scope: LimitScope;
  /** A count, or USD where the scope is a cost. */
  limit: number;
  windowSeconds?: number;
  retryAfterMs: number;
}

/** A 429 response. */
export class LimitError extends ApiError {
  readonly rejection: LimitRejection;

  constructor(rejection: LimitRejection) {
    const { scope, limit, windowSeconds, retryAfterMs } = rejection;
    const code: ErrorCode = scope === "tenant_daily_cost"
      ? "plan_limit_exceeded"
      : "rate_limit_exceeded";
    super(code, LIMIT_KINDS[scope].message, {
      details: { scope, limit, ...(windowSeconds === undefined ? {} : { windowSeconds }) },
      headers: { "retry-after": String(toRetryAfterSeconds(retryAfterMs)) },
    });
    this.rejection = rejection;
  }
}

export function isWindowLimit({ scope }: LimitRejection): boolean {
  return LIMIT_KINDS[scope].isWindow;
}

/**
 * True for an address's windows: they only fill up and plans do not change their size, so fresh values
 * cannot change the rejection, and a flood is rejected from the cache alone.
 */
export function isAddressLimit({ scope }: LimitRejection): boolean {
  return scope === "ip" || scope === "ip_resume";
}

export function isFinalRejection(error: unknown): boolean {
  return error instanceof LimitError && isAddressLimit(error.rejection);
}

/** The 422 for an idempotency key that was used with another request body. */
export function idempotencyKeyReusedError(): ApiError {
  return new ApiError(
    "idempotency_key_reused",
    "this Idempotency-Key was used for another body; use a new one for a new request",
  );
}
