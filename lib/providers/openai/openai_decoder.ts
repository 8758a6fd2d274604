import type { StopReason } from "../model.ts";
import type { StreamDecoder } from "../protocol.ts";
import {
  asArray,
  asObject,
  asText,
  type JsonObject,
  parseEvent,
  streamError,
} from "../stream_json.ts";
import { DeltaFastPath } from "../delta_fast_path.ts";
import type { ResponseAccumulator } from "../response_accumulator.ts";

const END_MARK = "[DONE]";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["function_call", "tool_calls"],
  ["content_filter", "content_filter"],
]);

/** Reads `chat.completion.chunk` events. */
export class OpenaiDecoder implements StreamDecoder {
  readonly #response: ResponseAccumulator;
  /** The newest call at each of the vendor's positions. */
  readonly #openCalls = new Map<number, { key: number; id: string }>();
  readonly #fastPath = new DeltaFastPath(textDeltaOf);
  #refused = false;
  #reasoning = "";

  constructor(turn: ResponseAccumulator) {
    this.#response = turn;
  }

  decode(data: string): void {
    const text = this.#fastPath.extract(data);
    if (text !== undefined) return this.#response.addText(text);
    if (data === END_MARK) return this.#close();
    const chunk = parseEvent(data);
    this.#fastPath.learn(data, chunk);
    if (chunk.error !== undefined && chunk.error !== null) return this.#fail(chunk.error);
    const usage = asObject(chunk.usage);
    if (usage !== undefined) this.#usage(usage);
    // The chunk with the usage has no choice; only the first of several would be ours.
    const choice = asObject(asArray(chunk.choices)[0]);
    if (choice === undefined || (choice.index ?? 0) !== 0) return;
    const delta = asObject(choice.delta);
    if (delta !== undefined) this.#delta(delta);
    if (typeof choice.finish_reason === "string") this.#stop(choice.finish_reason);
  }

  #delta(delta: JsonObject): void {
    this.#response.addText(asText(delta.content));
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      this.#refused = true;
      this.#response.addText(delta.refusal);
    }
    // Not the protocol's own fields, but what compatible servers put their reasoning in.
    if (typeof delta.reasoning_content === "string") this.#appendReasoning(delta.reasoning_content);
    else this.#response.addReasoning(asText(delta.reasoning));
    for (const item of asArray(delta.tool_calls)) {
      const piece = asObject(item);
      if (piece !== undefined) this.#toolCallDelta(piece);
    }
  }

  /** Who reasons in this field wants it back, be it empty; the other field nobody asks for. */
  #appendReasoning(reasoning: string): void {
    this.#reasoning += reasoning;
    this.#response.addReasoning(reasoning);
    this.#response.setProviderMetadata(this.#reasoning);
  }

  #toolCallDelta(piece: JsonObject): void {
    const position = typeof piece.index === "number" ? piece.index : 0;
    const id = asText(piece.id);
    const called = asObject(piece.function) ?? {};
    const args = asObject(called.arguments);
    const name = asText(called.name);
    const known = this.#openCalls.get(position);
    // Some servers number every call 0 and tell them apart by id; others make up an id for each piece,
    // and only the first of a call has its name.
    const isOther = id !== "" && name !== "" && known?.id !== "" && id !== known?.id;
    const call = known === undefined || isOther ? { key: this.#response.toolCallCount, id } : known;
    call.id ||= id;
    this.#openCalls.set(position, call);
    this.#response.addToolCall(call.key, {
      id: call.id,
      // The name comes whole, once; a server that repeats it says nothing new.
      name,
      args: args === undefined ? asText(called.arguments) : JSON.stringify(args),
      providerMetadata: asObject(piece.extra_content),
    });
  }

  #usage(usage: JsonObject): void {
    const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
    const rest = Number(total) - Number(prompt);
    this.#response.addUsage({
      inputTokens: prompt,
      // Where reasoning is left out of the completion, the total still holds it.
      outputTokens: rest > Number(completion) ? rest : completion,
      cachedInputTokens: asObject(usage.prompt_tokens_details)?.cached_tokens,
      reasoningTokens: asObject(usage.completion_tokens_details)?.reasoning_tokens,
    });
  }

  #stop(reason: string): void {
    if (reason === "error") throw streamError("server_error", "");
    const known = STOP_REASONS.get(reason) ?? "stop";
    this.#response.setStopReason(this.#refused && known === "stop" ? "content_filter" : known);
  }

  /** The end mark vouches for an answer whose server gives no reason, unless there is no answer. */
  #close(): void {
    if (!this.#response.hasStopReason && !this.#response.isEmpty) {
      this.#response.setStopReason("stop");
    }
    this.#response.markComplete();
  }

  #fail(error: unknown): void {
    const { type, code } = asObject(error) ?? {};
    if (code === "content_filter") return this.#response.setStopReason("content_filter");
    throw streamError(`${type} ${code}`, error);
  }
}

/** The text of a chunk that says nothing else. */
function textDeltaOf({ error, usage, choices }: JsonObject): string | undefined {
  const choice = asObject(asArray(choices)[0]);
  const delta = asObject(choice?.delta);
  if (choice === undefined || delta === undefined) return undefined;
  if (isPresent(error) || isPresent(usage) || isPresent(choice.finish_reason)) return undefined;
  const { content, role: _role, ...rest } = delta;
  const isTextAlone = (choice.index ?? 0) === 0 && !Object.values(rest).some(isPresent);
  return isTextAlone && typeof content === "string" ? content : undefined;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
