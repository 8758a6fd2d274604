import { ProviderError } from "../provider_error.ts";
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
import type { ResponseAccumulator } from "../response_accumulator.ts";

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

/** Slips of the model: the same request may well be answered the next time. */
const RETRYABLE_REASONS: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "MALFORMED_RESPONSE",
]);

/** Says nothing; documented as unused, but some gateways put it on every event. */
const UNSPECIFIED_REASON = "FINISH_REASON_UNSPECIFIED";

/** Reads `GenerateContentResponse` events. No mark ends the stream: its connection does. */
export class GoogleDecoder implements StreamDecoder {
  readonly #response: ResponseAccumulator;

  constructor(turn: ResponseAccumulator) {
    this.#response = turn;
  }

  decode(data: string): void {
    const response = parseEvent(data);
    const error = asObject(response.error);
    if (error !== undefined) throw streamError(`${error.status} ${error.code}`, error);
    const usage = asObject(response.usageMetadata);
    if (usage !== undefined) this.#usage(usage);
    // A prompt that was blocked has a reason and no candidate.
    if (asText(asObject(response.promptFeedback)?.blockReason) !== "") {
      this.#response.setStopReason("content_filter");
    }
    const candidate = asObject(asArray(response.candidates)[0]);
    if (candidate === undefined) return;
    for (const item of asArray(asObject(candidate.content)?.parts)) {
      const part = asObject(item);
      if (part !== undefined) this.#part(part);
    }
    const { finishReason } = candidate;
    if (typeof finishReason === "string" && finishReason !== UNSPECIFIED_REASON) {
      this.#stop(finishReason);
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

  /** Totals so far, on any event; thoughts and tool prompts are counted beside the rest. */
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

  #stop(reason: string): void {
    const known = STOP_REASONS.get(reason);
    if (known !== undefined) return this.#response.setStopReason(known);
    // The others (OTHER, TOO_MANY_TOOL_CALLS, MISSING_THOUGHT_SIGNATURE, NO_IMAGE, IMAGE_OTHER, and
    // what is still to come) are failures as well: what was said is no answer. They would come again.
    const retry = RETRYABLE_REASONS.has(reason) ? "later" : "no";
    const message = "the model gave up its answer";
    // No more of the event than that: what the model said or thought is in it, and words are logged.
    throw new ProviderError("provider_error", message, { errorBody: reason.slice(0, 100), retry });
  }
}

/** Absent parts count nothing, unless all are absent; nonsense makes the sum nonsense. */
function sum(...counts: unknown[]): unknown {
  const present = counts.filter((count) => count !== undefined);
  if (present.length === 0) return undefined;
  return present.reduce<number>((total, n) => total + (typeof n === "number" ? n : NaN), 0);
}
