/**
 * Browser paths allow every origin, so that a widget can read why it was rejected: access is
 * controlled by the server's check of the session's origin. Source: CONTRACT section 8.
 */
const ALLOW_ANY_ORIGIN = { "access-control-allow-origin": "*" };

const RESPONSE_HEADERS = {
  ...ALLOW_ANY_ORIGIN,
  "access-control-expose-headers":
    "x-request-id, x-run-id, x-plan-warning, retry-after, ratelimit, ratelimit-policy, idempotency-replayed, dpop-nonce, x-vercel-ai-ui-message-stream",
};

const PREFLIGHT_HEADERS = {
  ...ALLOW_ANY_ORIGIN,
  "access-control-allow-methods": "GET, POST, PUT, DELETE",
  "access-control-allow-headers":
    "content-type, x-service-session, last-event-id, idempotency-key, dpop",
  "access-control-max-age": "7200",
};

export function isBrowserPath(pathname: string): boolean {
  return /^\/v1\/(?:chat|ag-ui)(?:\/|$)/.test(pathname);
}

export function isPreflight(req: Request): boolean {
  return req.method === "OPTIONS" && req.headers.has("access-control-request-method");
}

export function preflightResponse(pathname: string): Response {
  const isOwn = /^\/v1\/chat\/(?:conversations|memory)(?:\/|$)/.test(pathname);
  const methods = isOwn ? { "access-control-allow-methods": "GET, PATCH, DELETE" } : {};
  return new Response(null, { status: 204, headers: { ...PREFLIGHT_HEADERS, ...methods } });
}

export function addCorsHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(RESPONSE_HEADERS)) headers.set(name, value);
}
