import type { ErrorCode } from "../schemas/error_codes.ts";

/** What a code means, and the envelope's literal example. */
export interface ErrorDoc {
  when: string;
  /** Of the example; messages are not stable. */
  message: string;
  details?: Record<string, unknown>;
}

/** A record over the union: a code that is added and not documented does not build. */
export const ERROR_DOCS: Record<ErrorCode, ErrorDoc> = {
  schema_validation_failed: {
    when: "The body, a parameter or a header breaks its rules, or the body is not JSON.",
    message: "budget.maxSteps: Too big: expected number to be <=32",
    details: {
      issues: [{
        path: "budget.maxSteps",
        code: "too_big",
        message: "Too big: expected number to be <=32",
      }],
    },
  },
  invalid_api_key: {
    when: "The API key is missing, unknown, expired or revoked.",
    message: "a valid API key is required as Authorization: Bearer <API_KEY>",
  },
  session_token_invalid: {
    when: "The session token is unknown, expired, revoked or another agent's.",
    message: "the session token is unknown, expired or revoked; mint a new one",
  },
  insufficient_scope: {
    when: "The API key lacks the scope, or may only read where it would chat.",
    message: "the API key needs the scope agents:write",
    details: { scope: "agents:write" },
  },
  origin_not_allowed: {
    when: "The page's origin is missing where it is needed, or not in `allowedOrigins`.",
    message: "this origin is not in the agent's allowedOrigins",
  },
  quota_exceeded: {
    when:
      "The tenant's plan has no room for it. `details` names the quota, and says what is `used` and " +
      "what is the `limit`; for bytes also what was `requested`. Waiting does not help: delete " +
      "something, or have the operator raise the quota.",
    message: "the plan allows 1,000 agents, and there are 1,000",
    details: { quota: "agents", used: 1000, limit: 1000 },
  },
  not_found: {
    when: "There is no such thing, or it belongs to another tenant.",
    message: "there is no such agent",
  },
  method_not_allowed: {
    when: "The address does not take this method; `Allow` names those it takes.",
    message: "this address only allows GET, HEAD, OPTIONS",
  },
  stream_expired: {
    when: "The run's frames are no longer kept.",
    message: "the frames of this run are gone",
  },
  version_conflict: {
    when: "`If-Match` names another version than the current one.",
    message: "the agent has changed since; its version is 4",
  },
  payload_too_large: {
    when:
      "The body is larger than 1 MiB (a document: 20 MiB), or what it makes is larger than can " +
      "be stored.",
    message: "the body is larger than 1 MiB",
  },
  unsupported_media_type: {
    when: "The body is not sent as `application/json`, or it is compressed.",
    message: "send the body as content-type application/json",
  },
  idempotency_key_reused: {
    when: "The `Idempotency-Key` was used for another body.",
    message: "this Idempotency-Key was used with another body",
  },
  rate_limit_exceeded: {
    when: "A limit is reached; `details.scope` names it. Wait for `Retry-After` seconds.",
    message: "too many requests from this address",
    details: { scope: "ip", limit: 100, windowSeconds: 60 },
  },
  plan_limit_exceeded: {
    when: "The tenant's day has spent its hard limit.",
    message: "the plan's daily cost limit is reached",
    details: { scope: "tenant_daily_cost", limit: 5 },
  },
  internal_error: {
    when: "A fault of ours.",
    message: "the request failed on our side",
  },
  provider_error: {
    when: "The model vendor failed before the stream began.",
    message: "the model vendor could not answer",
  },
  provider_rate_limited: {
    when: "The model vendor refused for its own limits before the stream began.",
    message: "the model vendor is limiting requests; try again soon",
  },
  service_unavailable: {
    when: "The service is starting or stopping, cannot reach its store, or too much is being sent.",
    message: "the service is starting or cannot reach its store; try again soon",
  },
  provider_timeout: {
    when: "The model vendor did not answer in time.",
    message: "the model vendor did not answer in time",
  },
};
