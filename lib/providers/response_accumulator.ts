import type { ModelEvent, ModelToolCall, StopReason } from "./model.ts";
import { ProviderError } from "./provider_error.ts";
import type { UsageTracker } from "./usage_tracker.ts";

/** Limit for text and arguments of a response, in characters. */
const MAX_RESPONSE_LENGTH = 4_194_304;
const MAX_CALLS = 256;
/** Limit for the reasoning that is sent back in each later step, in characters. */
const MAX_METADATA_LENGTH = 262_144;
/** Limit for the reasoning that is stored with a run, in characters. */
const MAX_SHOWN_REASONING = 16_384;
/** More than the length of any tool's name, so that a cut name matches none. */
const MAX_NAME_LENGTH = 128;

/** A part of a tool call; absent fields came earlier or follow. */
export interface ToolCallDelta {
  id?: string | undefined;
  name?: string | undefined;
  args?: string | undefined;
  providerMetadata?: unknown;
}

/** Accumulates a streamed response. Decoders add to it; readers take the resulting events. */
export class ResponseAccumulator {
  /** Set by the decoder at the provider's end mark. */
  isComplete = false;
  readonly #usage: UsageTracker;
  readonly #calls = new Map<number | string, ModelToolCall>();
  readonly #stepId: number;
  #events: ModelEvent[] = [];
  #stopReason: StopReason | undefined;
  #hasText = false;
  #length = 0;
  #reasoningLength = 0;
  #shownReasoning = "";
  #providerMetadata: unknown;

  /** `stepId` is unique within the run; generated call ids contain it. */
  constructor(usage: UsageTracker, stepId: number) {
    this.#usage = usage;
    this.#stepId = stepId;
  }

  addText(text: string): void {
    if (text === "") return;
    this.#hasText = true;
    this.#usage.countText(text);
    this.#addLength(text);
    const last = this.#events.at(-1);
    if (last?.type === "text") last.text += text;
    else this.#events.push({ type: "text", text });
  }

  /** Adds hidden output, which is charged too. `isShown`: it is text for people, no signature. */
  addReasoning(text: string, { isShown = true }: { isShown?: boolean } = {}): void {
    if (text === "") return;
    const room = MAX_SHOWN_REASONING - this.#shownReasoning.length;
    if (isShown && room > 0) this.#shownReasoning += text.slice(0, room);
    this.#usage.countReasoning(text);
    this.#reasoningLength += text.length;
    this.#addLength(text);
  }

  /** Sets the data to send back with this turn; it contains only text added as reasoning. */
  setProviderMetadata(providerMetadata: unknown): void {
    this.#providerMetadata = providerMetadata;
  }

  /** Adds to the tool call with this key, or begins it. */
  addToolCall(key: number | string, delta: ToolCallDelta): void {
    let call = this.#calls.get(key);
    if (call === undefined) {
      if (this.#calls.size === MAX_CALLS) {
        const message = "the model provider's answer holds too many calls";
        throw new ProviderError("provider_error", message);
      }
      call = { id: `own_${this.#stepId}_${this.#calls.size + 1}`, name: "", args: "" };
      this.#calls.set(key, call);
      this.#usage.onFirstOutput();
    }
    if (delta.id) call.id = delta.id;
    if (delta.name) call.name = delta.name.slice(0, MAX_NAME_LENGTH);
    if (delta.providerMetadata !== undefined) call.providerMetadata = delta.providerMetadata;
    if (!delta.args) return;
    this.#usage.countText(delta.args);
    this.#addLength(delta.args);
    call.args += delta.args;
  }

  get toolCallCount(): number {
    return this.#calls.size;
  }

  addUsage(usage: Parameters<UsageTracker["report"]>[0]): void {
    this.#usage.report(usage);
  }

  /** Usage may still follow. */
  setStopReason(reason: StopReason): void {
    this.#stopReason = reason;
  }

  /** Whether the model reported why it stopped, so that the response is whole. */
  get hasStopReason(): boolean {
    return this.#stopReason !== undefined;
  }

  /** Whether there is output or a reason for having none. */
  get hasStarted(): boolean {
    return !this.isEmpty || this.hasStopReason;
  }

  /** Whether there is text of the answer itself, not only reasoning. */
  get hasText(): boolean {
    return this.#hasText;
  }

  get isEmpty(): boolean {
    return this.#length === 0 && this.#calls.size === 0;
  }

  takeEvents(): ModelEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /** The usage so far of a response that broke off. */
  partialUsage(): ModelEvent {
    return { type: "usage", ...this.#usage.total(false) };
  }

  /** Reports the last events of a whole response: calls, usage and end. */
  finish(onEvent: (event: ModelEvent) => void): void {
    // A limit or filter may have cut off the arguments of a call.
    const isWhole = this.#stopReason === "tool_calls" || this.#stopReason === "stop";
    const calls = isWhole ? [...this.#calls.values()].filter((call) => call.name !== "") : [];
    for (const call of calls) onEvent({ type: "tool_call", call });
    onEvent({ type: "usage", ...this.#usage.total(true) });
    // Some providers report "stop" with calls, or "tool_calls" without any.
    const reason = isWhole ? (calls.length > 0 ? "tool_calls" : "stop") : this.#stopReason!;
    const providerMetadata = this.#providerMetadata;
    const isSentBack = calls.length > 0 && providerMetadata !== undefined &&
      this.#reasoningLength <= MAX_METADATA_LENGTH;
    const reasoning = this.#shownReasoning.toWellFormed();
    onEvent({
      ...{ type: "end", reason },
      ...isSentBack && { providerMetadata },
      ...reasoning !== "" && { reasoning },
    });
  }

  #addLength(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_RESPONSE_LENGTH) {
      throw new ProviderError("provider_error", "the model provider's answer is too long");
    }
  }
}

/** Whether a call id was generated here because the provider sent none. */
export function isGeneratedCallId(id: string): boolean {
  return /^own_\d+_\d+$/.test(id);
}
