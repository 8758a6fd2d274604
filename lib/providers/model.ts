import type { ImageType } from "../schemas/attachment.ts";
import type { ReasoningEffort } from "../schemas/model_settings.ts";

/** A message of a conversation, independent of the provider. */
export type ModelMessage =
  | UserMessage
  | AssistantMessage
  | { role: "tool"; callId: string; name: string; output: unknown };

export interface UserMessage {
  role: "user";
  content: string;
  images?: readonly ModelImage[];
}

/** An image of a message; the request has its content. */
export interface ModelImage {
  id: string;
  mediaType: ImageType;
  /** Upper bound of the input tokens that any model of the run counts for it. */
  tokens: number;
}

/** The content of images in base64, by their ids. */
export type ImageContents = ReadonlyMap<string, string>;

/** A turn of a model; a client may have made it up. */
export interface AssistantMessage {
  role: "assistant";
  content: string;
  toolCalls?: ModelToolCall[];
  /** Data that only this turn's provider reads, such as reasoning. */
  providerMetadata?: unknown;
  /** Output limit of the turn, and so of the tokens in `providerMetadata`. */
  maxOutputTokens?: number;
  /** The calls were made by another model than the one that reads them. */
  fromOtherModel?: true;
}

export interface ModelToolCall {
  id: string;
  name: string;
  /** JSON text, not validated. */
  args: string;
  /** Data that only this call's provider reads. */
  providerMetadata?: unknown;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

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
  /** Of the images in `messages`. */
  images?: ImageContents;
  tools: readonly ModelTool[];
  /** No tool may be called, but all are listed: providers reject earlier calls without their tools. */
  toolChoice?: "none";
  temperature?: number;
  /** Nucleus sampling, above 0 to 1. */
  topP?: number;
  /** The answer ends before the first of them. */
  stopSequences?: readonly string[];
  reasoningEffort?: ReasoningEffort;
  /** JSON Schema that the answer must match. */
  responseSchema?: JsonSchema;
  /** The provider may be asked to cache the prompt, because the cost of writing to a cache is known. */
  cachesPrompt?: true;
  /** Requests of one conversation prefer the same API key, whose cache knows it. */
  affinity?: string;
  /** Milliseconds until the provider must send the first event of its response. */
  responseMs?: number;
  maxOutputTokens: number;
  /** Upper bound of the input tokens, for which cost was reserved: estimates do not exceed it. */
  maxInputTokens?: number;
  /** Milliseconds since the epoch: a retry that would start later is not attempted. */
  deadline?: number;
  /** Milliseconds: a retry that would wait longer is not attempted. */
  maxRetryWaitMs?: number;
  /** Called with the usage that a provider may bill for a failed attempt. */
  onUsage?: (usage: ModelUsage) => void;
  /** The output limit of a retry after a billed attempt, 0 to give up. */
  authorizeRetry?: () => Promise<number>;
  /** Aborts the provider's request immediately. */
  signal: AbortSignal;
}

export type StopReason = "stop" | "length" | "content_filter" | "tool_calls";

/** The usage of one step: the two totals, and disjoint parts of them that have their own prices. */
export interface ModelUsage {
  /** Includes tokens that were read from a cache or written to one. */
  inputTokens: number;
  /** Includes hidden reasoning. */
  outputTokens: number;
  /** Read from a cache. */
  cachedInputTokens?: number;
  /** Written to a cache for five minutes, or for as long as the provider keeps it. */
  cacheWriteTokens?: number;
  /** Written to a cache for an hour. */
  cacheWrite1hTokens?: number;
  reasoningTokens?: number;
  /** A total is our own high estimate, because the provider reported none. */
  estimated?: true;
}

/** An event of a model's stream; `usage` and `end` come last. */
export type ModelEvent =
  | { type: "text"; text: string }
  | { type: "tool_call"; call: ModelToolCall }
  | { type: "usage" } & ModelUsage
  /**
   * `providerMetadata` goes back to this provider with a turn whose calls are executed; `reasoning` is
   * the beginning of what the model thought, as far as the provider shows it.
   */
  | { type: "end"; reason: StopReason; providerMetadata?: unknown; reasoning?: string };

/** A response that has begun. */
export interface ModelStream {
  /**
   * Calls `onEvent` with each event as it arrives, and resolves after the last. A stream that breaks or is
   * aborted reports `usage` before it rejects. If `onEvent` throws, the stream ends with that error. May
   * be called once.
   */
  read(onEvent: (event: ModelEvent) => void): Promise<void>;
}

/**
 * A model. `stream` resolves when the provider has begun to answer; before, it rejects with a
 * `ModelError`, so that a fallback can be tried, or with the signal's reason.
 */
export interface Model {
  stream(request: ModelRequest): Promise<ModelStream>;
}

/** Why a provider could not answer; the message never quotes the provider. */
export class ModelError extends Error {
  override name = "ModelError";
  readonly code: "provider_error" | "provider_timeout" | "provider_rate_limited";
  /** The delay that the provider requested, in milliseconds. */
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
