import { ApiError } from "../schemas/api_error.ts";
import type { ErrorCode } from "../schemas/error_codes.ts";
import { toRetryAfterSeconds } from "./rate_window.ts";

export type LimitScope =
  | "ip"
  | "key"
  | "ip_chat"
  | "ip_resume"
  | "session_messages"
  | "session_streams"
  | "session_cost"
  | "tenant_streams"
  | "tenant_daily_cost"
  | "ip_daily_cost";

export interface LimitRejection {
  scope: LimitScope;
  /** A count, or USD where the scope is a cost. */
  limit: number;
  windowSeconds?: number;
  retryAfterMs: number;
}

/** A window counts requests or messages per minute, as opposed to streams, session messages or money. */
interface LimitKind {
  message: string;
  isWindow: boolean;
}

const KINDS: Record<LimitScope, LimitKind> = {
  ip: { message: "too many requests from this address", isWindow: true },
  key: { message: "too many requests with this API key", isWindow: true },
  ip_chat: { message: "too many messages from this address", isWindow: true },
  ip_resume: { message: "too many resumed streams from this address", isWindow: true },
  session_messages: {
    message: "this session's messages are used up; mint a new token",
    isWindow: false,
  },
  session_streams: { message: "too many simultaneous streams of this session", isWindow: false },
  session_cost: {
    message: "what one session may cost is used up; mint a new token",
    isWindow: false,
  },
  tenant_streams: { message: "too many simultaneous streams", isWindow: false },
  tenant_daily_cost: { message: "the day's cost limit is reached", isWindow: false },
  ip_daily_cost: { message: "what one address may cost a day is used up", isWindow: false },
};

/** A 429 response. */
export class LimitError extends ApiError {
  readonly rejection: LimitRejection;

  constructor(rejection: LimitRejection) {
    const { scope, limit, windowSeconds, retryAfterMs } = rejection;
    const code: ErrorCode = scope === "tenant_daily_cost"
      ? "plan_limit_exceeded"
      : "rate_limit_exceeded";
    super(code, KINDS[scope].message, {
      details: { scope, limit, ...(windowSeconds === undefined ? {} : { windowSeconds }) },
      headers: { "retry-after": String(toRetryAfterSeconds(retryAfterMs)) },
    });
    this.rejection = rejection;
  }
}

export function isWindowLimit({ scope }: LimitRejection): boolean {
  return KINDS[scope].isWindow;
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
