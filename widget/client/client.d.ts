/** Types of `client.v1.js`. Served as `client.v1.d.ts`. */

/** Values of `finishReason`; a later version may add some. */
export type FinishReason =
  | "stop"
  | "length"
  | "content_filter"
  | "max_steps"
  | "max_cost"
  | "timeout"
  | "cancelled"
  | "error";

/** What a run tells, in order: `start` first, `done` last. Ignore types that you do not know. */
export type Frame =
  | {
    type: "start";
    requestId: string;
    runId: string;
    provider: string;
    model: string;
    conversationId: string;
  }
  /** Append `text` to the answer. */
  | { type: "delta"; text: string }
  | { type: "tool_call"; name: string; args: unknown }
  | { type: "tool_result"; name: string; output: unknown }
  | { type: "usage"; inputTokens: number; outputTokens: number; costUsd: number }
  | { type: "error"; code: string; message: string }
  | { type: "done"; finishReason: FinishReason };

export interface ChatMessage {
  readonly role: "user" | "assistant";
  /** 1 to 32,000 characters. */
  readonly content: string;
}

export interface ChatOptions {
  /** Address of the service. */
  readonly apiBase: string;
  /** The agent's UUID. */
  readonly agentId: string;
  /**
   * A `cs_` token, or a function that fetches one from your backend. The function is asked once
   * more, with the refused token, when the service no longer takes it.
   */
  readonly sessionToken: string | ((refused: string) => string | Promise<string>);
  /** What the model sees: the conversation so far, at most 64, the last one of the user. */
  readonly messages: readonly ChatMessage[];
  /** Of the `start` frame of an earlier answer; a new conversation without it. */
  readonly conversationId?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** 0 to 2. */
  readonly temperature?: number | undefined;
  /** 1 to 16,384. */
  readonly maxOutputTokens?: number | undefined;
  /** Names this message: sent again under it, it joins its run. A random one by default. */
  readonly idempotencyKey?: string | undefined;
  /**
   * The `position` of an earlier `chat()`: goes on with that run after that frame. Give its
   * `readIdempotencyKey` as well where there may be none yet.
   */
  readonly after?: string | undefined;
  /** Told `true` when frames begin to come, `false` when a connection broke and is tried again. */
  readonly onLink?: ((up: boolean) => void) | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** Iterate it once. Leaving the loop lets go of the connection; only `stop` ends the run at once. */
export interface Chat extends AsyncIterable<Frame> {
  /** Id of the last frame, for `after`; "" before there is one. */
  readonly position: string;
  readonly idempotencyKey: string;
  /** `x-request-id` of the last answer, to quote when you ask for help. */
  readonly requestId: string;
  /** What the session may still send, once the service has told. */
  readonly messagesLeft: number | undefined;
  /** Has the run cancelled; the frames end with `done` and `finishReason: "cancelled"`. */
  stop(): void;
}

/** Sends one message. Throws `ChatError` while it is iterated. */
export function chat(options: ChatOptions): Chat;

export class ChatError extends Error {
  readonly name: "ChatError";
  /** The service's code, or `network_error`, `session_token_missing`, `unexpected_response`. */
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Of a 429: the limit that was reached. */
  readonly scope: string | undefined;
  /** Of a refusal: seconds to wait. */
  readonly retryAfter: number | undefined;
  readonly requestId: string;
  constructor(
    refusal: {
      code: string;
      status: number;
      scope?: string | undefined;
      retryAfter?: number | undefined;
    },
    requestId: string,
  );
}
