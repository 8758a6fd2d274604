import { DeltaFastPath } from "../delta_fast_path.ts";
import type { StopReason } from "../model.ts";
import type { StreamDecoder } from "../protocol.ts";
import type { ResponseAccumulator } from "../response_accumulator.ts";
import {
  asArray,
  asObject,
  asText,
  type JsonObject,
  parseEvent,
  streamError,
} from "../stream_json.ts";

const END_MARK = "[DONE]";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["function_call", "tool_calls"],
  ["content_filter", "content_filter"],
]);

/** Decodes `chat.completion.chunk` events. */
export class OpenaiDecoder implements StreamDecoder {
  readonly #response: ResponseAccumulator;
  /** The latest call at each index of the provider. */
  readonly #openCalls = new Map<number, { key: number; id: string }>();
  readonly #fastPath = new DeltaFastPath(textDeltaOf);
  #refused = false;
  #reasoning = "";

  constructor(response: ResponseAccumulator) {
    this.#response = response;
  }

  decode(data: string): void {
    const text = this.#fastPath.extract(data);
    if (text !== undefined) return this.#response.addText(text);
    if (data === END_MARK) return this.#onEndMark();
    const chunk = parseEvent(data);
    this.#fastPath.learn(data, chunk);
    if (isPresent(chunk.error)) return this.#onError(chunk.error);
    const usage = asObject(chunk.usage);
    if (usage !== undefined) this.#usage(usage);
    // The chunk with the usage has no choice, and only the first choice is ours.
    const choice = asObject(asArray(chunk.choices)[0]);
    if (choice === undefined || (choice.index ?? 0) !== 0) return;
    const delta = asObject(choice.delta);
    if (delta !== undefined) this.#delta(delta);
    if (typeof choice.finish_reason === "string") this.#onFinishReason(choice.finish_reason);
  }

  #delta(delta: JsonObject): void {
    this.#response.addText(asText(delta.content));
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      this.#refused = true;
      this.#response.addText(delta.refusal);
    }
    // Compatible servers put reasoning into one of these fields, which OpenAI does not define.
    if (typeof delta.reasoning_content === "string") this.#addReasoning(delta.reasoning_content);
    else this.#response.addReasoning(asText(delta.reasoning));
    for (const item of asArray(delta.tool_calls)) {
      const call = asObject(item);
      if (call !== undefined) this.#toolCallDelta(call);
    }
  }

  /** Servers that use `reasoning_content` expect it back, even if it is empty. */
  #addReasoning(reasoning: string): void {
    this.#reasoning += reasoning;
    this.#response.addReasoning(reasoning);
    this.#response.setProviderMetadata(this.#reasoning);
  }

  #toolCallDelta(delta: JsonObject): void {
    const index = typeof delta.index === "number" ? delta.index : 0;
    const id = asText(delta.id);
    const called = asObject(delta.function) ?? {};
    const args = asObject(called.arguments);
    const name = asText(called.name);
    const open = this.#openCalls.get(index);
    // Some servers use index 0 for all calls with different ids; others send a new id with each delta,
    // but the name only with the first.
    const isOther = id !== "" && name !== "" && open?.id !== "" && id !== open?.id;
    const call = open === undefined || isOther ? { key: this.#response.toolCallCount, id } : open;
    call.id ||= id;
    this.#openCalls.set(index, call);
    this.#response.addToolCall(call.key, {
      id: call.id,
      // Sent once and whole; repetitions are equal.
      name,
      args: args === undefined ? asText(called.arguments) : JSON.stringify(args),
      providerMetadata: asObject(delta.extra_content),
    });
  }

  #usage(usage: JsonObject): void {
    const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
    const rest = Number(total) - Number(prompt);
    const details = asObject(usage.prompt_tokens_details) ?? {};
    this.#response.addUsage({
      inputTokens: prompt,
      // Some servers count reasoning only in the total.
      outputTokens: rest > Number(completion) ? rest : completion,
      // DeepSeek's and Moonshot's names for it, which their servers send instead or too.
      cachedInputTokens: details.cached_tokens ?? usage.prompt_cache_hit_tokens ??
        usage.cached_tokens,
      // OpenRouter's and LiteLLM's, for providers that bill for writes.
      cacheWriteTokens: details.cache_write_tokens ?? usage.cache_creation_input_tokens,
      reasoningTokens: asObject(usage.completion_tokens_details)?.reasoning_tokens,
    });
  }

  #onFinishReason(reason: string): void {
    if (reason === "error") throw streamError("server_error", "");
    const known = STOP_REASONS.get(reason) ?? "stop";
    this.#response.setStopReason(this.#refused && known === "stop" ? "content_filter" : known);
  }

  /** Makes output whole if the server sent no finish reason. */
  #onEndMark(): void {
    const response = this.#response;
    if (!response.hasStopReason && !response.isEmpty) response.setStopReason("stop");
    response.isComplete = true;
  }

  #onError(error: unknown): void {
    const { type, code } = asObject(error) ?? {};
    if (code === "content_filter") return this.#response.setStopReason("content_filter");
    throw streamError(`${type} ${code}`, error);
  }
}

/** The text of a chunk that contains nothing else. */
function textDeltaOf({ error, usage, choices }: JsonObject): string | undefined {
  const choice = asObject(asArray(choices)[0]);
  const delta = asObject(choice?.delta);
  if (choice === undefined || delta === undefined) return undefined;
  if (isPresent(error) || isPresent(usage) || isPresent(choice.finish_reason)) return undefined;
  const { content, role: _role, ...rest } = delta;
  const isTextOnly = (choice.index ?? 0) === 0 && !Object.values(rest).some(isPresent);
  return isTextOnly && typeof content === "string" ? content : undefined;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
