/** Codes are stable across versions. Source: specification section 7, CONTRACT section 7. */
export const ERROR_STATUS = {
  schema_validation_failed: 400,
  invalid_api_key: 401,
  session_token_invalid: 401,
  use_dpop_nonce: 401,
  insufficient_scope: 403,
  key_restricted: 403,
  address_not_allowed: 403,
  origin_not_allowed: 403,
  quota_exceeded: 403,
  tenant_suspended: 403,
  not_found: 404,
  method_not_allowed: 405,
  run_not_ended: 409,
  handoff_conflict: 409,
  already_decided: 409,
  configuration_locked: 409,
  stream_expired: 410,
  version_conflict: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  plan_limit_exceeded: 429,
  internal_error: 500,
  provider_error: 502,
  provider_rate_limited: 503,
  service_unavailable: 503,
  provider_timeout: 504,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

/** `errorEnvelopeSchema` describes the fields. */
export interface ErrorEnvelope {
  code: ErrorCode;
  message: string;
  http: number;
  details?: Record<string, unknown>;
}

/** A problem in a request: `path` is dotted, `""` for the body itself. */
export type ValidationIssue = { path: string; code: string; message: string };

/** Codes an `error` frame may carry once a stream has started. */
export const STREAM_ERROR_CODES = [
  "budget_exceeded",
  "provider_error",
  "provider_timeout",
  "provider_rate_limited",
  "plan_limit_exceeded",
  "run_interrupted",
  "internal_error",
] as const;
export type StreamErrorCode = typeof STREAM_ERROR_CODES[number];

export const FINISH_REASONS = [
  "stop",
  "length",
  "content_filter",
  "max_steps",
  "max_cost",
  "timeout",
  "cancelled",
  "error",
] as const;
export type FinishReason = typeof FINISH_REASONS[number];
