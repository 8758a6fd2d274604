/** Hand-off of a conversation to people. Documented in handoff.d.ts. */
import { ChatError } from "@agent-chat/client";
import { SseDecoder } from "../../../lib/schemas/frame_decoder.ts";
import type { FeedFrame, HandoffStatus } from "../../../lib/schemas/handoff.ts";
import { POLL, POLL_PAUSE_MS, START_TIMEOUT_MS } from "../../../widget/client/buffered_streams.ts";
import { pause } from "../../../widget/client/pause.ts";
import { NETWORK_ERROR, readRejection } from "../../../widget/client/rejection.ts";

export interface HandoffOptions {
  readonly apiBase: string;
  readonly conversationId: string;
  readonly sessionToken: string | ((rejected: string) => string | Promise<string>);
  readonly fetch?: typeof fetch | undefined;
}

export type HandoffEvent = FeedFrame & { readonly id: string };

/** Wait before a lost feed is opened again; longer after each failure. */
const RECONNECT_MS = 1_500;
const MAX_RECONNECT_MS = 30_000;

export function handoff(options: HandoffOptions) {
  const { sessionToken, conversationId, fetch: fetcher = fetch.bind(globalThis) } = options;
  const apiBase = options.apiBase.replace(/\/+$/, "");
  const getToken = typeof sessionToken === "string" ? () => sessionToken : sessionToken;
  let token = "";

  /** Sends a request; an expired token is replaced once. */
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    for (let tries = 0;; tries++) {
      token ||= await getToken("");
      const headers = { ...init.headers, "x-service-session": token };
      const url = `${apiBase}/v1/chat/conversations/${conversationId}/${path}`;
      const response = await fetcher(url, { ...init, headers });
      if (response.status !== 401 || tries > 0) return response;
      const rejected = token;
      token = await getToken(rejected);
      if (token === "" || token === rejected) return response;
      await response.body?.cancel();
    }
  }

  async function call(path: string, init?: RequestInit): Promise<Response> {
    const response = await send(path, init).catch(() => undefined);
    if (response?.ok) return response;
    throw await toError(response);
  }

  async function* events(
    { after = "", signal = new AbortController().signal }: {
      after?: string | undefined;
      signal?: AbortSignal | undefined;
    } = {},
  ): AsyncGenerator<HandoffEvent> {
    let wait = RECONNECT_MS;
    let query = "";
    while (!signal.aborted) {
      const headers: Record<string, string> = after === "" ? {} : { "last-event-id": after };
      // A stream without a byte is held back by a proxy, which passes on what is complete.
      const buffered = new AbortController();
      const timer = setTimeout(() => buffered.abort(), START_TIMEOUT_MS);
      const hasBytes = () => clearTimeout(timer);
      if (query !== "") hasBytes();
      const either = AbortSignal.any([signal, buffered.signal]);
      const response = await send(`stream${query}`, { headers, signal: either })
        .catch(() => undefined);
      if (response?.ok !== true) hasBytes();
      if (response?.status === 204) return hasBytes();
      // Of the other answers only these can be different the next time.
      const isRetried = response === undefined || response.status === 429 || response.status >= 500;
      if (!response?.ok && !isRetried) throw await toError(response);
      if (response?.ok) {
        for await (const event of read(response, hasBytes)) {
          wait = RECONNECT_MS;
          if (event.type !== "typing") after = event.id;
          yield event;
          if (event.type === "state" && isFinal(event.state)) return;
        }
      } else await response?.body?.cancel();
      hasBytes();
      if (buffered.signal.aborted) {
        query = POLL;
        continue;
      }
      if (response?.ok && query !== "") {
        await pause(POLL_PAUSE_MS, signal);
        continue;
      }
      await pause(wait, signal);
      wait = Math.min(2 * wait, MAX_RECONNECT_MS);
    }
  }

  return {
    status: async (): Promise<HandoffStatus> => await (await call("handoff")).json(),
    request: async (): Promise<HandoffStatus> =>
      await (await call("handoff", { method: "POST" })).json(),
    async leaveContact(contact: { email: string; message: string }): Promise<void> {
      const headers = { "content-type": "application/json" };
      await call("contact", { method: "POST", headers, body: JSON.stringify(contact) });
    },
    async sendTyping(): Promise<void> {
      await call("typing", { method: "POST" });
    },
    events,
  };
}

async function* read(response: Response, hasBytes: () => void): AsyncGenerator<HandoffEvent> {
  const decoder = new SseDecoder();
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      hasBytes();
      for (const { id, data } of decoder.push(value)) yield { ...JSON.parse(data), id };
    }
  } catch {
    // The connection was lost: the caller continues after the last event.
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function isFinal(state: string): boolean {
  return state === "returned" || state === "closed";
}

async function toError(response: Response | undefined): Promise<ChatError> {
  const requestId = response?.headers.get("x-request-id") ?? "";
  return new ChatError(response ? await readRejection(response) : NETWORK_ERROR, requestId);
}
