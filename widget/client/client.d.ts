/** Types of `client.v1.js`. Served as `client.v1.d.ts`. */

/** Values of `finishReason`. Later versions may add some. */
export type FinishReason =
  | "stop"
  | "length"
  | "content_filter"
  | "max_steps"
  | "max_cost"
  | "timeout"
  | "cancelled"
  | "error";

/** The events of a run: `start` first, `done` last. Ignore types that you do not know. */
export type Frame =
  | {
    type: "start";
    requestId: string;
    runId: string;
    provider: string;
    model: string;
    conversationId: string;
    /** The message went to a person, and no model answers. */
    handoff?: "waiting" | "taken" | undefined;
  }
  /** Append `text` to the answer. */
  | { type: "delta"; text: string }
  | {
    type: "tool_call";
    name: string;
    args: unknown;
    /** What people may read while the tool runs. */
    progress?: string | undefined;
    /** What people call the tool. */
    title?: string | undefined;
    /** The call waits; then the next two are there as well. */
    pending?: true | undefined;
    /** Whose decision it waits for; `page` has the tool's function. */
    waitsFor?: "visitor" | "person" | "page" | undefined;
    /** Until when it waits, ISO 8601. */
    expiresAt?: string | undefined;
  }
  | {
    type: "tool_result";
    name: string;
    output: unknown;
    /** The number of its `tool_call`'s frame, if several calls may be open. */
    call?: number | undefined;
  }
  | { type: "usage"; inputTokens: number; outputTokens: number; costUsd: number }
  | { type: "error"; code: string; message: string }
  | { type: "done"; finishReason: FinishReason };

/** A call that waits: for the visitor's or a person's decision, or for the page. */
export type PendingToolCall = Extract<Frame, { type: "tool_call" }> & {
  pending: true;
  waitsFor: "visitor" | "person" | "page";
  expiresAt: string;
};

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
   * A `cs_` token, or a function that fetches one from your backend. If the service rejects a
   * token, the function is called once more, with the rejected token.
   */
  readonly sessionToken: string | ((rejected: string) => string | Promise<string>);
  /** The conversation so far: at most 64 messages, the last one from the user. */
  readonly messages: readonly ChatMessage[];
  /** From the `start` frame of an earlier answer. Omit it to start a new conversation. */
  readonly conversationId?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** 0 to 2. */
  readonly temperature?: number | undefined;
  /** 1 to 16,384. */
  readonly maxOutputTokens?: number | undefined;
  /**
   * `runId` of the answer that this message asks for again, or whose question it changes. Needs its
   * `conversationId`; `messages` are those before that question, and the question.
   */
  readonly replaces?: string | undefined;
  /** Sending the message again with the same key joins its run. Random by default. */
  readonly idempotencyKey?: string | undefined;
  /**
   * The `position` of an earlier `chat()`: resumes that run after that frame. Pass its
   * `idempotencyKey` as well, in case the run had no frame yet.
   */
  readonly after?: string | undefined;
  /** Called with `true` when frames arrive, with `false` when the client reconnects. */
  readonly onLink?: ((up: boolean) => void) | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** Iterate it once. Leaving the loop closes the connection, as `close` does; only `stop` ends the run. */
export interface Chat extends AsyncIterable<Frame> {
  /** Id of the last frame, for `after`; "" before the first. */
  readonly position: string;
  readonly idempotencyKey: string;
  /** `x-request-id` of the last response, to quote in a support request. */
  readonly requestId: string;
  /** Messages that the session may still send; undefined until the first response. */
  readonly messagesLeft: number | undefined;
  /** Cancels the run; its frames end with `done` and `finishReason: "cancelled"`. */
  stop(): void;
  /** Closes the connection and ends the iteration. The run continues; resume it with `after`. */
  close(): void;
}

/** Sends one message. Iterating the result throws `ChatError` on failure. */
export function chat(options: ChatOptions): Chat;

export class ChatError extends Error {
  readonly name: "ChatError";
  /** The service's code, or `network_error`, `session_token_missing`, `unexpected_response`. */
  readonly code: string;
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  /** The limit that was reached, for status 429. */
  readonly scope: string | undefined;
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | undefined;
  readonly requestId: string;
  constructor(
    rejection: {
      code: string;
      status: number;
      scope?: string | undefined;
      retryAfter?: number | undefined;
    },
    requestId: string,
  );
}
