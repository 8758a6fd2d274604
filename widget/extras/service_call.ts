/** Calls of the service with the session's token. */
import type { TokenSource } from "../client/chat_run.ts";

export interface ServiceCallOptions {
  /** Without a trailing slash. */
  readonly apiBase: string;
  readonly session: Pick<TokenSource, "token" | "renew">;
  readonly fetcher: typeof fetch;
}

/** Rejects only if there is no connection. An object as body is sent as JSON. */
export type ServiceCall = (path: string, request?: ServiceRequest) => Promise<Response>;

export interface ServiceRequest extends Omit<RequestInit, "body" | "headers"> {
  readonly body?: Record<string, unknown> | FormData | undefined;
  readonly headers?: Record<string, string>;
}

/** `path` begins below `/v1/chat/`. A rejected token is replaced once. */
export function createServiceCall({ apiBase, session, fetcher }: ServiceCallOptions): ServiceCall {
  return async (path, { body, headers, ...init } = {}) => {
    const isForm = body instanceof FormData;
    for (let renewed = false;; renewed = true) {
      const response = await fetcher(`${apiBase}/v1/chat/${path}`, {
        ...init,
        credentials: "omit",
        cache: "no-store",
        headers: {
          ...headers,
          "x-service-session": await session.token(),
          ...(body && !isForm && { "content-type": "application/json" }),
        },
        body: isForm ? body : body ? JSON.stringify(body) : null,
      });
      if (response.status !== 401 || renewed || !await session.renew()) return response;
    }
  };
}
