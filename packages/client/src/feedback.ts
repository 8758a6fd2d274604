/** What a visitor thinks of an answer. */
import { ChatError, type ChatOptions } from "../../../widget/client/client.ts";
import { NETWORK_ERROR, readRejection } from "../../../widget/client/rejection.ts";
import type { Feedback as GivenFeedback } from "../../../lib/schemas/feedback.ts";

/** Documented in feedback.d.ts. */
export interface FeedbackOptions extends Pick<ChatOptions, "apiBase" | "sessionToken" | "fetch"> {
  readonly runId: string;
}

export type Feedback = Pick<GivenFeedback, "rating" | "comment"> & {
  readonly reasons?: readonly NonNullable<GivenFeedback["reasons"]>[number][] | undefined;
};

export interface AnswerFeedback {
  set(feedback: Feedback): Promise<void>;
  get(): Promise<GivenFeedback | undefined>;
  withdraw(): Promise<void>;
}

export function feedback(
  { apiBase, runId, sessionToken, fetch: fetcher = fetch.bind(globalThis) }: FeedbackOptions,
): AnswerFeedback {
  const url = `${/^.*[^/]|/s.exec(apiBase)![0]}/v1/chat/runs/${encodeURIComponent(runId)}/feedback`;
  const getToken = typeof sessionToken === "string" ? () => sessionToken : sessionToken;
  const send = async (method: string, body?: Feedback) => {
    let token = await getToken("");
    let response = await request(fetcher, url, { method, token, body });
    if (response.status === 401) {
      const renewed = await getToken(token);
      if (renewed && renewed !== token) {
        await response.body?.cancel();
        token = renewed;
        response = await request(fetcher, url, { method, token, body });
      }
    }
    return response;
  };
  return {
    set: async (feedback) => void await succeeded(await send("PUT", feedback)),
    withdraw: async () => void await succeeded(await send("DELETE")),
    async get() {
      const response = await send("GET");
      // Also the answer for a run that is unknown: there is no feedback on it.
      if (response.status !== 404) return await (await succeeded(response)).json();
      await response.body?.cancel();
      return undefined;
    },
  };
}

async function request(
  fetcher: typeof fetch,
  url: string,
  { method, token, body }: { method: string; token: string; body: Feedback | undefined },
): Promise<Response> {
  if (!token) throw new ChatError({ status: 401, code: "session_token_missing" }, "");
  try {
    return await fetcher(url, {
      method,
      credentials: "omit",
      cache: "no-store",
      headers: {
        "x-service-session": token,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ChatError(NETWORK_ERROR, "");
  }
}

async function succeeded(response: Response): Promise<Response> {
  if (response.ok) return response;
  const requestId = response.headers.get("x-request-id") ?? "";
  throw new ChatError(await readRejection(response), requestId);
}
