/** Session tokens from the site's backend, kept until they expire. */
import { ChatError } from "../../../widget/client/client.ts";
import { NETWORK_ERROR, readRejection, type Rejection } from "../../../widget/client/rejection.ts";
import { Session } from "../../../widget/session.ts";

/** Documented in session_tokens.d.ts. */
export interface SessionTokensOptions {
  readonly fetch?: typeof fetch | undefined;
  readonly now?: (() => number) | undefined;
}

export function sessionTokens(
  endpoint: string,
  { fetch: fetcher = fetch.bind(globalThis), now = Date.now }: SessionTokensOptions = {},
): (rejected: string) => Promise<string> {
  let rejection: Rejection = NETWORK_ERROR;
  let requestId = "";
  const session = new Session({
    token: "",
    endpoint,
    now,
    async fetcher(input, init) {
      rejection = NETWORK_ERROR;
      const response = await fetcher(input, init);
      requestId = response.headers.get("x-request-id") ?? "";
      rejection = await readRejection(response.clone());
      return response;
    },
  });
  return async (rejected) => {
    let token = await session.token();
    // Another message may have replaced the rejected token in the meantime.
    if (token && token === rejected) token = await session.renew() ? await session.token() : "";
    if (!token) throw new ChatError(rejection, requestId);
    return token;
  };
}
