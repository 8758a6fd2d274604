/** What the site's developer reads in the browser console: the symptom and what to do about it. */
import type { Failure } from "./failure.ts";

export interface HintContext {
  readonly agentId: string;
  readonly pageOrigin: string;
  readonly requestId?: string | undefined;
}

export function consoleHint(failure: Failure, context: HintContext): string {
  const request = context.requestId ? ` (x-request-id ${context.requestId})` : "";
  return `[service-widget] ${explain(failure, context)}${request}`;
}

function explain({ code }: Failure, { agentId, pageOrigin }: HintContext): string {
  switch (code) {
    case "origin_not_allowed":
      return `session token rejected: the origin ${pageOrigin} is not in allowedOrigins of agent ` +
        `${agentId}, or the token was minted for another origin. Add the origin with ` +
        `PATCH /v1/agents/${agentId}, then mint a token for it with POST /v1/widget/session.`;
    case "plan_limit_exceeded":
      return "plan_limit_exceeded: the plan's budget is used up. GET /v1/usage, with an API key " +
        "that has the scope billing:read, shows the consumption and when it resets.";
    case "session_token_invalid":
      return "session_token_invalid: the token is unknown, expired (they live 15 minutes) or " +
        "revoked. Mint a fresh one with POST /v1/widget/session on your server and hand it to " +
        "serviceWidget.setSessionToken(token); listen for `session-expired` to do so in time.";
    case "session_exhausted":
      return "rate_limit_exceeded: the session has used all its messages. Mint a fresh token with " +
        "POST /v1/widget/session and hand it to serviceWidget.setSessionToken(token).";
    case "session_token_missing":
      return "there is no session token yet: set data-session-token, or call " +
        "serviceWidget.setSessionToken(token) with one minted by POST /v1/widget/session.";
    case "network_error":
      return "network_error: the service could not be reached. If the page sends a " +
        "Content-Security-Policy, connect-src must allow the address in data-api-base.";
    default:
      return code;
  }
}
