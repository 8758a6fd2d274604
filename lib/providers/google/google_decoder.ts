import type { StopReason } from "../model.ts";
import type { StreamDecoder } from "../protocol.ts";
import { ProviderError } from "../provider_error.ts";
import type { ResponseAccumulator } from "../response_accumulator.ts";
import {
  asArray,
  asObject,
  asText,
  type JsonObject,
  parseEvent,
  streamError,
} from "../stream_json.ts";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["LANGUAGE", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["MODEL_ARMOR", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
]);

/** Mistakes of the model that a retry may avoid. */
const RETRYABLE_REASONS: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "MALFORMED_RESPONSE",
]);

/** Documented as unused, but some gateways send it with every event. */
const UNSPECIFIED_REASON = "FINISH_REASON_UNSPECIFIED";

/** Decodes `GenerateContentResponse` events. The stream has no end mark. */
export class GoogleDecoder implements StreamDecoder {
  readonly #response: ResponseAccumulator;

  constructor(response: ResponseAccumulator) {
    this.#response = response;
  }

  decode(data: string): void {
    const event = parseEvent(data);
    const error = asObject(event.error);
    if (error !== undefined) throw streamError(`${error.status} ${error.code}`, error);
    const usage = asObject(event.usageMetadata);
    if (usage !== undefined) this.#usage(usage);
    // A blocked prompt has a reason and no candidate.
    if (asText(asObject(event.promptFeedback)?.blockReason) !== "") {
      this.#response.setStopReason("content_filter");
    }
    const candidate = asObject(asArray(event.candidates)[0]);
    if (candidate === undefined) return;
    for (const item of asArray(asObject(candidate.content)?.parts)) {
      const part = asObject(item);
      if (part !== undefined) this.#part(part);
    }
    const { finishReason } = candidate;
    if (typeof finishReason === "string" && finishReason !== UNSPECIFIED_REASON) {
      this.#onFinishReason(finishReason);
    }
  }

  #part(part: JsonObject): void {
    const called = asObject(part.functionCall);
    if (called !== undefined) {
      return this.#response.addToolCall(this.#response.toolCallCount, {
        id: asText(called.id),
        name: asText(called.name),
        args: JSON.stringify(asObject(called.args) ?? {}),
        providerMetadata: asText(part.thoughtSignature) || undefined,
      });
    }
    if (part.thought === true) this.#response.addReasoning(asText(part.text));
    else this.#response.addText(asText(part.text));
  }

  /** Totals so far; reasoning and tool prompts are counted separately from the rest. */
  #usage(usage: JsonObject): void {
    const { promptTokenCount, toolUsePromptTokenCount } = usage;
    const { candidatesTokenCount, thoughtsTokenCount } = usage;
    this.#response.addUsage({
      inputTokens: sum(promptTokenCount, toolUsePromptTokenCount),
      outputTokens: sum(candidatesTokenCount, thoughtsTokenCount),
      cachedInputTokens: usage.cachedContentTokenCount,
      reasoningTokens: thoughtsTokenCount,
    });
  }

  #onFinishReason(reason: string): void {
    const known = STOP_REASONS.get(reason);
    if (known !== undefined) return this.#response.setStopReason(known);
    // All others (OTHER, TOO_MANY_TOOL_CALLS, MISSING_THOUGHT_SIGNATURE, NO_IMAGE, IMAGE_OTHER and
    // future ones) are failures that a retry would repeat.
    const retry = RETRYABLE_REASONS.has(reason) ? "later" : "no";
    const message = "the model gave up its answer";
    // Nothing else of the event is logged, because it contains the model's output.
    throw new ProviderError("provider_error", message, { errorBody: reason.slice(0, 100), retry });
  }
}

/** Absent counts are zero unless all are absent; an invalid count makes the sum invalid. */
function sum(...counts: unknown[]): unknown {
  const present = counts.filter((count) => count !== undefined);
  if (present.length === 0) return undefined;
  return present.reduce<number>((total, n) => total + (typeof n === "number" ? n : NaN), 0);
}
