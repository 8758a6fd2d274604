import type { HeaderObject } from "./openapi_types.ts";

/** Headers of answers, by the name of their component. */
export const HEADERS = {
  "x-request-id": {
    description: "Id of this request, made by the service; quote it when you report a problem.",
    required: true,
    schema: { type: "string", format: "uuid" },
  },
  "x-run-id": {
    description: "Id of the run whose frames follow.",
    required: true,
    schema: { type: "string", format: "uuid" },
  },
  "x-plan-warning": {
    description: "The tenant's day is past its soft limit; sent from then on.",
    schema: { type: "string", const: "daily_cost_soft_limit" },
  },
  ETag: {
    description: "The version, in quotes; send it as `If-Match` or `If-None-Match`.",
    required: true,
    schema: { type: "string" },
  },
  Location: {
    description: "Address of what was created.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
  },
  "Idempotency-Replayed": {
    description:
      "`true` on an answer that an earlier call with this `Idempotency-Key` got already.",
    schema: { type: "string", const: "true" },
  },
  "Retry-After": {
    description: "Whole seconds to wait before the next try.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
  RateLimit: {
    description:
      'What is left of each limit a request counted towards: `"ip";r=99;t=60` is 99 more ' +
      "requests, and the window is 60 seconds long. A message of a session also tells " +
      '`"session_messages";r=49;t=871`: what the session may still send, and for how long. ' +
      'A resumed stream has a window of its own, `"ip_resume"`.',
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description: 'The limits themselves: `"ip";q=100;w=60` is 100 requests in 60 seconds.',
    schema: { type: "string" },
  },
  "WWW-Authenticate": {
    description: "Which credential is wanted.",
    required: true,
    schema: { type: "string" },
  },
  Allow: {
    description: "The methods that this address takes.",
    required: true,
    schema: { type: "string" },
  },
  "Cache-Control": {
    description: "How long the answer may be kept.",
    required: true,
    schema: { type: "string" },
  },
  "Access-Control-Allow-Origin": {
    description: "`*`: pages of any site may read the answer.",
    required: true,
    schema: { type: "string", const: "*" },
  },
  "Access-Control-Expose-Headers": {
    description: "The headers of the answer that pages may read.",
    required: true,
    schema: { type: "string" },
  },
} satisfies Record<string, HeaderObject>;
export type HeaderName = keyof typeof HEADERS;
