import type { ErrorCode } from "../schemas/error_codes.ts";

type ErrorDoc = { when: string; message: string; details?: Record<string, unknown> };

/** Typed as a record so that an undocumented code does not compile. */
export const ERROR_DOCS: Record<ErrorCode, ErrorDoc> = {
  schema_validation_failed: {
    when: "The body, a parameter or a header is invalid, or the body is not JSON.",
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
    when:
      "The session token is unknown, expired, revoked or of another agent, or the session is bound to " +
      "a key and the call has no valid proof of it: then `WWW-Authenticate` is `DPoP`.",
    message: "the session token is unknown, expired or revoked; mint a new one",
  },
  use_dpop_nonce: {
    when:
      "The proof in `DPoP` has no nonce or an old one. Sign a new proof with the nonce in `DPoP-Nonce`, " +
      "and repeat the call once.",
    message: "sign a new proof with the nonce in the header DPoP-Nonce, and repeat the request",
  },
  insufficient_scope: {
    when: "The API key lacks the scope, or is a read-only key used to chat.",
    message: "the API key needs the scope agents:write",
    details: { scope: "agents:write" },
  },
  key_restricted: {
    when: "The API key is restricted to certain agents, and the operation concerns others too.",
    message: "the API key is restricted to certain agents, and this concerns others too",
  },
  address_not_allowed: {
    when: "The API key is restricted to certain networks, and the request comes from another.",
    message: "the API key may not be used from this address",
  },
  origin_not_allowed: {
    when: "The page's origin is missing or not in `allowedOrigins`.",
    message: "this origin is not in the agent's allowedOrigins",
  },
  quota_exceeded: {
    when:
      "A quota of the tenant's plan is exceeded. `details` has the quota, what is `used`, the `limit`, " +
      "and for bytes what was `requested`. Retrying does not help: delete something, or ask the " +
      "operator to raise the quota.",
    message: "the plan allows 1,000 agents, and there are 1,000",
    details: { quota: "agents", used: 1000, limit: 1000 },
  },
  tenant_suspended: {
    when:
      "The operator of the installation has suspended the tenant, or is deleting it: its API keys and " +
      "session tokens are rejected. Retrying does not help. Its users can read why in the dashboard.",
    message: "this tenant is suspended; its users can read why in the dashboard",
  },
  not_found: {
    when: "The resource does not exist or belongs to another tenant.",
    message: "there is no such agent",
  },
  method_not_allowed: {
    when: "The path does not support this method; `Allow` lists the supported ones.",
    message: "this address only allows GET, HEAD, OPTIONS",
  },
  run_not_ended: {
    when: "The run has not ended yet, and only a complete answer can be rated.",
    message: "the run has not ended yet",
  },
  handoff_conflict: {
    when: "The state of the hand-off does not allow it; `details.state` is that state.",
    message: "this agent does not offer to ask for a person",
    details: { state: "none" },
  },
  already_decided: {
    when: "The tool call was answered before, or it no longer waits.",
    message: "this call does not wait any more",
  },
  configuration_locked: {
    when:
      "Another client has locked the configuration, or the lock that the request names was released or " +
      "taken over. `details` has the other lock's `note`, `createdAt` and `expiresAt`, if there is one.",
    message: "the configuration is locked",
    details: {
      note: "agents apply",
      createdAt: "2026-01-15T09:20:00.000Z",
      expiresAt: "2026-01-15T09:21:30.000Z",
    },
  },
  stream_expired: {
    when: "The run's frames are no longer stored.",
    message: "the frames of this run are gone",
  },
  version_conflict: {
    when: "`If-Match` does not contain the current version.",
    message: "the agent has changed since; its version is 4",
  },
  payload_too_large: {
    when:
      "The body is larger than 1 MiB (for a document: 20 MiB), or the resource would be too large to " +
      "store.",
    message: "the body is larger than 1 MiB",
  },
  unsupported_media_type: {
    when: "The body is not `application/json`, or it is compressed.",
    message: "send the body as content-type application/json",
  },
  idempotency_key_reused: {
    when: "The `Idempotency-Key` was used for another body.",
    message: "this Idempotency-Key was used with another body",
  },
  rate_limit_exceeded: {
    when: "A rate limit is reached; `details.scope` names it. Wait `Retry-After` seconds.",
    message: "too many requests from this address",
    details: { scope: "ip", limit: 100, windowSeconds: 60 },
  },
  plan_limit_exceeded: {
    when: "The tenant's daily hard limit is reached.",
    message: "the plan's daily cost limit is reached",
    details: { scope: "tenant_daily_cost", limit: 5 },
  },
  internal_error: { when: "An error of the service.", message: "the request failed on our side" },
  provider_error: {
    when: "The model provider failed before the stream started.",
    message: "the model provider could not answer",
  },
  provider_rate_limited: {
    when: "The model provider's rate limit was reached before the stream started.",
    message: "the model provider is limiting requests; try again soon",
  },
  service_unavailable: {
    when: "The service is starting, stopping, overloaded, or cannot reach its store.",
    message: "the service is starting or cannot reach its store; try again soon",
  },
  provider_timeout: {
    when: "The model provider did not respond in time.",
    message: "the model provider did not answer in time",
  },
};
