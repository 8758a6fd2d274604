import type { HeaderName } from "./headers.ts";
import type { Operation, SuccessResponse } from "./operation.ts";

/** Headers that a refusal with this status brings along. */
const BY_STATUS: Partial<Record<number, HeaderName>> = {
  401: "WWW-Authenticate",
  405: "Allow",
  429: "Retry-After",
  503: "Retry-After",
};

/** Headers of an answer: its own, and those that follow from what kind of operation it is of. */
export function answerHeaders(operation: Operation, answer: SuccessResponse): HeaderName[] {
  const headers: HeaderName[] = [...commonHeaders(operation), ...answer.headers ?? []];
  if (operation.idempotent) headers.push("Idempotency-Replayed");
  return headers;
}

export function errorHeaders(operation: Operation, status: number): HeaderName[] {
  const own = BY_STATUS[status];
  // What failed on our side may have failed before it was counted.
  const rated = operation.rateLimited && status < 500;
  return [
    ...commonHeaders({ ...operation, rateLimited: rated }),
    ...(own === undefined ? [] : [own]),
  ];
}

function commonHeaders(operation: Operation): HeaderName[] {
  const headers: HeaderName[] = operation.path.startsWith("/v1/") ? ["x-request-id"] : [];
  if (operation.rateLimited) headers.push("RateLimit", "RateLimit-Policy");
  if (operation.browser) {
    headers.push("Access-Control-Allow-Origin", "Access-Control-Expose-Headers");
  }
  return headers;
}
