/** What the site's developer reads in the browser console: the symptom and what to do about it. */

const TOKEN_HINT = "session token missing or over: mint one and call setSessionToken(), or set " +
  "data-session-endpoint";

const HINTS: Readonly<Record<string, string>> = {
  origin_not_allowed:
    "session token rejected: the page's origin is not the token's or not in allowedOrigins",
  plan_limit_exceeded: "plan_limit_exceeded: budget used up, see /v1/usage",
  network_error: "unreachable: does connect-src allow data-api-base?",
};

export function developerHint(code: string, requestId?: string): string {
  const hint = HINTS[code] ?? (/^session_/.test(code) ? TOKEN_HINT : code);
  return `[service-widget] ${hint} (${location.origin}, ${requestId ?? "-"})`;
}
