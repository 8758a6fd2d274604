/** One turn of what a model is shown, in no vendor's shape. */
export type ModelMessage =
  | { role: "user"; content: string }
  | AssistantMessage
  | { role: "tool"; callId: string; name: string; output: unknown };

/** A turn of a model's, or what a client claims that one said. */
export interface AssistantMessage {
  role: "assistant";
  content: string;
  toolCalls?: ModelToolCall[];
  /** What this vendor wants back with the turn, such as what its model thought; nobody else reads it. */
  providerMetadata?: unknown;
  /** Tokens that its model was granted for the turn: `providerMetadata` holds no more of them than that. */
  maxOutputTokens?: number;
  /** Another model than the one that is told of it made the calls. */
  fromOtherModel?: true;
}

/** A call the model wants made; `args` is the JSON text it wrote, not yet trusted. */
export interface ModelToolCall {
  id: string;
  name: string;
  args: string;
  /** What this vendor wants back with the call, as it sent it; nobody else reads it. */
  providerMetadata?: unknown;
}

/** A tool as a model is told of it. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema (2020-12) of an object. */
  parameters: Record<string, unknown>;
}

export interface ModelRequest {
  model: string;
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  temperature?: number;
  maxOutputTokens: number;
  /** No model reads more tokens for this, and no more were reserved: an estimate stays below it. */
  maxInputTokens?: number;
  /** Milliseconds since the epoch: a wait for a busy vendor that would end later is not begun. */
  deadline?: number;
  /** Milliseconds: a longer wait for a busy vendor is not begun, as another can be asked meanwhile. */
  maxRetryWaitMs?: number;
  /** Told what a vendor may bill for an attempt that came to nothing. */
  onUsage?: (usage: ModelUsage) => void;
  /** What another attempt after such a one may write, 0 for none: it was not set aside with the first. */
  authorizeRetry?: () => Promise<number>;
  /** Aborting it ends the vendor's request at once. */
  signal: AbortSignal;
}

/** Why a model stopped. */
export type StopReason = "stop" | "length" | "content_filter" | "tool_calls";

/** What one step used. The two totals are what is charged; the others are parts of them. */
export interface ModelUsage {
  /** Cached tokens included. */
  inputTokens: number;
  /** Hidden reasoning included. */
  outputTokens: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
  /** At least one total is our estimate, made upward, because the vendor did not say. */
  estimated?: true;
}

/**
 * What a model streams back; `end` is last, `usage` comes before it. A stream that breaks or is
 * aborted tells its `usage` as well, and then throws.
 */
export type ModelEvent =
  | { type: "text"; text: string }
  | { type: "tool_call"; call: ModelToolCall }
  | { type: "usage" } & ModelUsage
  /** `providerMetadata` goes back to this vendor with a turn whose calls are answered, and nowhere else. */
  | { type: "end"; reason: StopReason; providerMetadata?: unknown };

/**
 * A vendor's model. `stream` settles when the vendor has begun to answer; until then it rejects with
 * a `ModelError`, and another vendor may still be asked. Aborted, it throws the signal's reason.
 */
export interface Model {
  stream(request: ModelRequest): Promise<AsyncIterable<ModelEvent>>;
}

/** Why a vendor could not answer; the text is ours and never a vendor's own words. */
export class ModelError extends Error {
  override name = "ModelError";
  readonly code: "provider_error" | "provider_timeout" | "provider_rate_limited";
  /** How long the vendor asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelError["code"],
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}
