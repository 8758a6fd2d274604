/** The widget's side of the chat API: one streaming POST, and one to cancel. */
import type { Frame } from "../lib/wire/frames.ts";
import { FrameDecoder } from "../lib/wire/frame_decoder.ts";
import type { Refusal } from "./failure.ts";
import type { ChatMessage } from "./history.ts";

export interface ChatRequest {
  readonly agentId: string;
  readonly sessionToken: string;
  readonly messages: readonly ChatMessage[];
  readonly conversationId?: string;
  readonly requestId: string;
}

export interface StreamOptions {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** Told once, as soon as the answer's headers are there: before any frame. */
  readonly onAccepted: (ids: { runId: string; requestId: string }) => void;
  readonly onFrame: (frame: Frame) => void;
}

/** How a stream ended. An abort through the signal is `aborted`, whatever the browser threw. */
export type Outcome =
  | { readonly kind: "done" | "dropped" | "unreachable" | "aborted" }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly requestId: string };

export interface ChatClient {
  stream(request: ChatRequest, options: StreamOptions): Promise<Outcome>;
  /** Best effort: resolves whatever happens. */
  cancel(runId: string, sessionToken: string): Promise<void>;
}

/** `apiBase` has no trailing slash. */
export function createChatClient(apiBase: string, fetcher: typeof fetch): ChatClient {
  const url = (path: string) => `${apiBase}/v1/chat/${path}`;
  return {
    async stream(request, options) {
      try {
        const response = await fetcher(url("stream"), postChat(request, options));
        if (!isStream(response)) return await refusedBy(response);
        options.onAccepted({ runId: header(response, "x-run-id"), requestId: idOf(response) });
        return { kind: await readFrames(response, options.onFrame) };
      } catch {
        return { kind: options.signal.aborted ? "aborted" : "unreachable" };
      }
    },
    async cancel(runId, sessionToken) {
      const headers = { "x-service-session": sessionToken };
      const path = `runs/${encodeURIComponent(runId)}/cancel`;
      await fetcher(url(path), { method: "POST", headers, credentials: "omit", keepalive: true })
        .catch(() => {});
    },
  };
}

function postChat(request: ChatRequest, options: StreamOptions): RequestInit {
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-service-session": request.sessionToken,
      "idempotency-key": options.idempotencyKey,
    },
    body: JSON.stringify(request),
    signal: options.signal,
    credentials: "omit",
    cache: "no-store",
  };
}

/** Once a stream is open, a broken connection is a dropped answer, not an unreachable service. */
async function readFrames(
  response: Response,
  onFrame: (frame: Frame) => void,
): Promise<"done" | "dropped"> {
  const decoder = new FrameDecoder();
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done || !value) return "dropped";
      for (const { data } of decoder.push(value)) {
        onFrame(data);
        if (data.type === "done") return "done";
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function refusedBy(response: Response): Promise<Outcome> {
  const body = await response.json().catch(() => undefined);
  const retryAfter = Number.parseInt(header(response, "retry-after"), 10);
  const scope = body?.details?.scope;
  const refusal: Refusal = {
    status: response.ok ? 502 : response.status,
    code: typeof body?.code === "string" ? body.code : "unexpected_response",
    ...(typeof scope === "string" && { scope }),
    ...(retryAfter > 0 && { retryAfter }),
  };
  return { kind: "refused", refusal, requestId: idOf(response) };
}

function isStream(response: Response): boolean {
  return response.ok && response.body !== null &&
    header(response, "content-type").startsWith("text/event-stream");
}

function idOf(response: Response): string {
  return header(response, "x-request-id");
}

function header(response: Response, name: string): string {
  return response.headers.get(name) ?? "";
}
