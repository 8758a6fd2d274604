import { DeltaFastPath } from "../delta_fast_path.ts";
import type { StopReason } from "../model.ts";
import type { StreamDecoder } from "../protocol.ts";
import type { ResponseAccumulator } from "../response_accumulator.ts";
import { asObject, asText, type JsonObject, parseEvent, streamError } from "../stream_json.ts";
import { isTokenCount } from "../usage_tracker.ts";
import { ThinkingCollector } from "./thinking_collector.ts";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
]);

/** Parts of the input: neither read from a cache nor written to one; and those, some by duration. */
type InputPart = "own" | "read" | "written" | "short" | "long";

/** Decodes the events of a message; ignores unknown types, as the API demands. */
export class AnthropicDecoder implements StreamDecoder {
  readonly #response: ResponseAccumulator;
  readonly #thinking: ThinkingCollector;
  /** The latest count of each part of the input. */
  readonly #input: { [part in InputPart]?: number } = {};
  readonly #fastPath = new DeltaFastPath(textDeltaOf);
  #textLength = 0;

  constructor(response: ResponseAccumulator) {
    this.#response = response;
    this.#thinking = new ThinkingCollector(response);
  }

  decode(data: string): void {
    const text = this.#fastPath.extract(data);
    if (text !== undefined) return this.#text(text);
    const event = parseEvent(data);
    this.#fastPath.learn(data, event);
    switch (event.type) {
      case "message_start":
        return this.#usage(asObject(event.message)?.usage);
      case "content_block_start":
        return this.#blockStart(indexOf(event), asObject(event.content_block) ?? {});
      case "content_block_delta":
        return this.#blockDelta(indexOf(event), asObject(event.delta) ?? {});
      case "message_delta":
        return this.#messageDelta(event);
      case "message_stop":
        this.#response.isComplete = true;
        return;
      case "error":
        throw streamError(asText(asObject(event.error)?.type), event.error);
    }
  }

  #blockStart(index: number, block: JsonObject): void {
    switch (block.type) {
      case "text":
        return this.#text(asText(block.text));
      case "thinking":
      case "redacted_thinking":
        return this.#thinking.startBlock(index, block, this.#textLength);
      case "tool_use":
        return this.#callStart(index, block);
    }
  }

  /** The input begins as {} and follows in deltas; compatible servers may send it whole. */
  #callStart(index: number, block: JsonObject): void {
    const input = asObject(block.input) ?? {};
    const args = Object.keys(input).length === 0 ? "" : JSON.stringify(input);
    this.#response.addToolCall(index, { id: asText(block.id), name: asText(block.name), args });
  }

  #blockDelta(index: number, delta: JsonObject): void {
    switch (delta.type) {
      case "text_delta":
        return this.#text(asText(delta.text));
      case "input_json_delta":
        return this.#response.addToolCall(index, { args: asText(delta.partial_json) });
      case "thinking_delta":
        return this.#thinking.appendText(index, asText(delta.thinking));
      case "signature_delta":
        return this.#thinking.setSignature(index, asText(delta.signature));
    }
  }

  #text(text: string): void {
    this.#textLength += text.length;
    this.#response.addText(text);
  }

  #messageDelta(event: JsonObject): void {
    this.#usage(event.usage);
    const reason = asObject(event.delta)?.stop_reason;
    if (typeof reason === "string") {
      this.#response.setStopReason(STOP_REASONS.get(reason) ?? "stop");
    }
  }

  /** Input tokens written to or read from a cache are counted separately from the rest. */
  #usage(value: unknown): void {
    const usage = asObject(value);
    if (usage === undefined) return;
    const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } =
      asObject(usage.cache_creation) ?? {};
    this.#count("own", usage.input_tokens);
    this.#count("read", usage.cache_read_input_tokens);
    this.#count("written", usage.cache_creation_input_tokens);
    this.#count("short", short);
    this.#count("long", long);
    const { own, read = 0, long: forAnHour = 0 } = this.#input;
    // The total and its parts by duration may disagree: the larger one counts.
    const written = Math.max(this.#input.written ?? 0, forAnHour + (this.#input.short ?? 0));
    this.#response.addUsage({
      inputTokens: own === undefined ? undefined : own + read + written,
      outputTokens: usage.output_tokens,
      cachedInputTokens: this.#input.read,
      ...written > 0 && { cacheWriteTokens: written - forAnHour },
      ...forAnHour > 0 && { cacheWrite1hTokens: forAnHour },
    });
  }

  /** Later events repeat the counts, on some servers as null or 0, which are ignored. */
  #count(part: InputPart, value: unknown): void {
    const before = this.#input[part];
    if (isTokenCount(value) && (value > 0 || before === undefined)) this.#input[part] = value;
  }
}

function textDeltaOf({ type, delta }: JsonObject): string | undefined {
  const { type: kind, text } = asObject(delta) ?? {};
  const isText = type === "content_block_delta" && kind === "text_delta";
  return isText && typeof text === "string" ? text : undefined;
}

function indexOf(event: JsonObject): number {
  return typeof event.index === "number" ? event.index : 0;
}
