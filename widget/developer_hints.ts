/** Console hints for the site's developer: the symptom and what to do about it. */

const TOKEN_HINT = "call setSessionToken(), or set data-session-endpoint";

const HINTS: Readonly<Record<string, string>> = {
  origin_not_allowed:
    "session token rejected: the page's origin is not the token's or not in allowedOrigins",
  plan_limit_exceeded: "see /v1/usage",
  network_error: "does connect-src allow data-api-base?",
};

export function developerHint(code: string, requestId = "-"): string {
  const hint = HINTS[code] ?? (/^session_/.test(code) ? TOKEN_HINT : "");
  return `[service-widget] ${code}: ${hint} (${location.origin}, ${requestId})`;
}
