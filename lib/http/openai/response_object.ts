import type { FrameOf } from "../../schemas/frames.ts";
import { startOfRun } from "./openai_chat_encoder.ts";

/** What a response repeats of its request. */
export interface ResponseRequest {
  /** As it was asked for. */
  model: string;
  previousResponseId: string | null;
  maxOutputTokens: number | null;
  temperature: number | null;
  metadata: Readonly<Record<string, string>>;
}

/** A message of the assistant in `output`. */
export interface OutputMessage {
  type: "message";
  id: string;
  status: "in_progress" | "completed" | "incomplete";
  role: "assistant";
  content: OutputText[];
}

export interface OutputText {
  type: "output_text";
  text: string;
  annotations: unknown[];
  logprobs: unknown[];
}

/** A tool call that the service ran. */
export interface McpCall {
  type: "mcp_call";
  id: string;
  status: "in_progress" | "completed" | "failed";
  server_label: string;
  name: string;
  /** JSON text. */
  arguments: string;
  output: string | null;
  error: string | null;
}

export type OutputItem = OutputMessage | McpCall;

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

export interface ResponseState {
  status: ResponseStatus;
  output: readonly OutputItem[];
  usage?: FrameOf<"usage"> | undefined;
  error?: { code: string; message: string } | undefined;
  incompleteReason?: "max_output_tokens" | "content_filter" | undefined;
  /** Our word for the end. */
  finishReason?: string | undefined;
}

export function responseId(runId: string): string {
  return `resp_${runId}`;
}

/** The run of a response's id; `undefined` if it is none. */
export function runOfResponse(id: string): string | undefined {
  return /^resp_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.exec(id)?.[1]?.toLowerCase();
}

/**
 * A response with every field that Open Responses demands. Source: openresponses.org,
 * `ResponseResource.json`; package `openai` 7.
 */
export function responseObject(runId: string, request: ResponseRequest, state: ResponseState) {
  const { status, output, usage, error, incompleteReason, finishReason } = state;
  const createdAt = startOfRun(runId);
  const { metadata } = request;
  return {
    id: responseId(runId),
    object: "response",
    created_at: createdAt,
    completed_at: status === "completed" ? createdAt : null,
    status,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    model: request.model,
    previous_response_id: request.previousResponseId,
    instructions: null,
    output,
    output_text: textOf(output),
    error: error ?? null,
    tools: [],
    tool_choice: "auto",
    truncation: "disabled",
    parallel_tool_calls: false,
    text: { format: { type: "text" } },
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    temperature: request.temperature ?? 1,
    reasoning: null,
    user: null,
    usage: usage === undefined ? null : responseUsage(usage),
    max_output_tokens: request.maxOutputTokens,
    max_tool_calls: null,
    store: true,
    background: false,
    service_tier: "default",
    metadata: finishReason === undefined ? metadata : { ...metadata, finish_reason: finishReason },
    safety_identifier: null,
    prompt_cache_key: null,
  };
}

function textOf(output: readonly OutputItem[]): string {
  return output.flatMap((item) => item.type === "message" ? item.content : [])
    .map(({ text }) => text).join("");
}

/** `cost_usd` is ours. */
function responseUsage({ inputTokens, outputTokens, costUsd }: FrameOf<"usage">) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
    cost_usd: costUsd,
  };
}
