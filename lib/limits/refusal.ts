import { ApiError } from "../errors.ts";
import type { ErrorCode } from "../wire/error_codes.ts";
import { toRetryAfterSeconds } from "./rate_window.ts";

export type LimitScope =
  | "ip"
  | "key"
  | "ip_chat"
  | "session_messages"
  | "tenant_streams"
  | "tenant_daily_cost";

/** A limit that is reached: which, how much it is, and how long to wait at least. */
export interface LimitRefusal {
  scope: LimitScope;
  limit: number;
  windowSeconds?: number;
  retryAfterMs: number;
}

const MESSAGES: Record<LimitScope, string> = {
  ip: "too many requests from this address",
  key: "too many requests with this API key",
  ip_chat: "too many messages from this address",
  session_messages: "this session's messages are used up; mint a new token",
  tenant_streams: "too many simultaneous streams",
  tenant_daily_cost: "the day's cost limit is reached",
};

/** Windows only fill up: no other process can have made room in the meantime. */
export function isWindowRefusal({ scope }: LimitRefusal): boolean {
  return scope === "ip" || scope === "key" || scope === "ip_chat";
}

/** The 429 of a refusal, with its `Retry-After`. */
export function limitError(refusal: LimitRefusal): ApiError {
  const { scope, limit, windowSeconds, retryAfterMs } = refusal;
  const code: ErrorCode = scope === "tenant_daily_cost"
    ? "plan_limit_exceeded"
    : "rate_limit_exceeded";
  return new ApiError(code, MESSAGES[scope], {
    details: { scope, limit, ...(windowSeconds === undefined ? {} : { windowSeconds }) },
    headers: { "retry-after": String(toRetryAfterSeconds(retryAfterMs)) },
  });
}
