/** What the site's developer reads in the browser console: the symptom and what to do about it. */

const MINT = "session token missing, expired or used up: mint one with POST /v1/widget/session " +
  "and hand it to setSessionToken(), or set data-session-endpoint";

const HINTS: Readonly<Record<string, string>> = {
  origin_not_allowed:
    "session token rejected: the origin of this page is not in the agent's allowedOrigins, or the " +
    "token was minted for another one",
  plan_limit_exceeded: "plan_limit_exceeded: the plan's budget is used up, see GET /v1/usage",
  session_token_invalid: MINT,
  session_exhausted: MINT,
  session_token_missing: MINT,
  network_error: "unreachable: does the page's connect-src allow data-api-base?",
};

export function hintOf(code: string, requestId?: string): string {
  return `[service-widget] ${HINTS[code] ?? code} (${location.origin}, ${
    requestId ?? "no request"
  })`;
}
