/** Types of session_tokens.ts, as published. */

export interface SessionTokensOptions {
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/**
 * A `sessionToken` for `chat` that sends a `POST` to your backend's `endpoint` when a token is
 * needed: for the first message, a minute before the token expires, and when the service rejects it.
 * Share the result between messages. Without a token it throws a `ChatError` with the status of your
 * backend; its code is that of the response, or `network_error`, `unexpected_response`.
 */
export function sessionTokens(
  endpoint: string,
  options?: SessionTokensOptions,
): (rejected: string) => Promise<string>;
