/** One turn of what a model is shown, in no vendor's shape. */
export type ModelMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; content: string; toolCalls?: ModelToolCall[] }
  | { role: "tool"; callId: string; name: string; output: unknown };

/** A call the model wants made; `args` is the JSON text it wrote, not yet trusted. */
export interface ModelToolCall {
  id: string;
  name: string;
  args: string;
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
  /** Aborting it ends the vendor's request at once. */
  signal: AbortSignal;
}

/** What a model streams back; `end` is last, `usage` comes before it. */
export type ModelEvent =
  | { type: "text"; text: string }
  | { type: "tool_call"; call: ModelToolCall }
  | { type: "usage"; inputTokens: number; outputTokens: number }
  | { type: "end"; reason: "stop" | "length" | "content_filter" | "tool_calls" };

/**
 * A vendor's model. `stream` settles when the vendor has accepted the request; until then it rejects
 * with a `ModelError`, and another vendor may still be asked.
 */
export interface Model {
  stream(request: ModelRequest): Promise<AsyncIterable<ModelEvent>>;
}

/** Why a vendor could not answer; the text is ours and never a vendor's own words. */
export class ModelError extends Error {
  override name = "ModelError";
  readonly code: "provider_error" | "provider_timeout" | "provider_rate_limited";

  constructor(code: ModelError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
