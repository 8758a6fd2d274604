/**
 * The browser paths answer any page: CORS is not the lock, the server's own check of the session's
 * origin is, and a widget must be able to read why it was refused. Source: CONTRACT section 8.
 */
const ALLOW_ANY_ORIGIN = { "access-control-allow-origin": "*" };

const EXPOSED_HEADERS = {
  "access-control-expose-headers":
    "x-request-id, x-run-id, x-plan-warning, retry-after, ratelimit, ratelimit-policy, idempotency-replayed",
};

const PREFLIGHT_HEADERS = {
  ...ALLOW_ANY_ORIGIN,
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type, x-service-session, last-event-id, idempotency-key",
  "access-control-max-age": "7200",
};

/** Whether browsers on other sites may call this path. */
export function isBrowserPath(pathname: string): boolean {
  return pathname === "/v1/chat" || pathname.startsWith("/v1/chat/");
}

/** Whether this is a browser's question before the real request. */
export function isPreflight(req: Request): boolean {
  return req.method === "OPTIONS" && req.headers.has("access-control-request-method");
}

export function preflightResponse(): Response {
  return new Response(null, { status: 204, headers: PREFLIGHT_HEADERS });
}

/** Adds what lets a page on another site read the answer. */
export function addCorsHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries({ ...ALLOW_ANY_ORIGIN, ...EXPOSED_HEADERS })) {
    headers.set(name, value);
  }
}
