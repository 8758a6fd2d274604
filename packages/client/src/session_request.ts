/** Requests of a session outside its answers. */
import { ChatError, type ChatOptions } from "../../../widget/client/client.ts";
import { NETWORK_ERROR, readRejection } from "../../../widget/client/rejection.ts";

export type SessionOptions = Pick<ChatOptions, "apiBase" | "sessionToken" | "fetch">;

/** `path` is below `/v1/chat/`. Throws a `ChatError` without a token and without a connection. */
export type SessionRequest = (
  path: string,
  request: { readonly method: string; readonly body?: unknown },
) => Promise<Response>;

/** A rejected token is replaced once. */
export function sessionRequest(
  { apiBase, sessionToken, fetch: fetcher = fetch.bind(globalThis) }: SessionOptions,
): SessionRequest {
  const base = `${/^.*[^/]|/s.exec(apiBase)![0]}/v1/chat/`;
  const getToken = typeof sessionToken === "string" ? () => sessionToken : sessionToken;
  const request: typeof fetch = async (input, init) => {
    try {
      return await fetcher(input, init);
    } catch {
      throw new ChatError(NETWORK_ERROR, "");
    }
  };
  return async (path, { method, body }) => {
    const send = (token: string) => {
      if (!token) throw new ChatError({ status: 401, code: "session_token_missing" }, "");
      const json = body !== undefined;
      return request(base + path, {
        method,
        credentials: "omit",
        cache: "no-store",
        headers: {
          "x-service-session": token,
          ...json && { "content-type": "application/json" },
        },
        ...json && { body: JSON.stringify(body) },
      });
    };
    const token = await getToken("");
    const response = await send(token);
    if (response.status !== 401) return response;
    const renewed = await getToken(token);
    if (!renewed || renewed === token) return response;
    await response.body?.cancel();
    return await send(renewed);
  };
}

/** The response if it is a success; else throws its `ChatError`. */
export async function succeeded(response: Response): Promise<Response> {
  if (response.ok) return response;
  const requestId = response.headers.get("x-request-id") ?? "";
  throw new ChatError(await readRejection(response), requestId);
}
