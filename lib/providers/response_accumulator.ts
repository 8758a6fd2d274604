import { ProviderError } from "./provider_error.ts";
import type { ModelEvent, ModelToolCall, StopReason } from "./model.ts";
import type { UsageTracker } from "./usage_tracker.ts";

/** All text and arguments of one answer, in characters: no honest answer is longer. */
const MAX_RESPONSE_LENGTH = 4_194_304;
/** Calls of one answer: each is carried out, and many an API is asked once for each. */
const MAX_CALLS = 256;
/**
 * What of a turn goes back to its vendor, in characters: each later step of the run sends it again.
 * Several times what the longest answer we allow can think.
 */
const MAX_METADATA_LENGTH = 262_144;
/** Longer than a tool's name can be, so that what is cut is still nobody's. */
const MAX_NAME_LENGTH = 128;

/** A piece of a tool call; what is absent was said before or is still to come. */
export interface ToolCallDelta {
  id?: string | undefined;
  name?: string | undefined;
  args?: string | undefined;
  providerMetadata?: unknown;
}

/**
 * One answer as a vendor's stream builds it up, in no vendor's shape. A decoder tells it what came;
 * it hands out the events that follow from it.
 */
export class ResponseAccumulator {
  readonly #usage: UsageTracker;
  readonly #calls = new Map<number | string, ModelToolCall>();
  readonly #stepId: number;
  #events: ModelEvent[] = [];
  #stopReason: StopReason | undefined;
  #length = 0;
  #reasoningLength = 0;
  #providerMetadata: unknown;
  #closed = false;

  /** `step` is any number that no other answer of the run has: own call ids are made with it. */
  constructor(tally: UsageTracker, step: number) {
    this.#usage = tally;
    this.#stepId = step;
  }

  /** Text for the reader; what comes together is told together. */
  addText(text: string): void {
    if (text === "") return;
    this.#usage.countText(text);
    this.#addLength(text);
    const last = this.#events.at(-1);
    if (last?.type === "text") last.text += text;
    else this.#events.push({ type: "text", text });
  }

  /** Output nobody is shown, such as reasoning: it is paid for all the same. */
  addReasoning(text: string): void {
    if (text === "") return;
    this.#usage.countReasoning(text);
    this.#reasoningLength += text.length;
    this.#addLength(text);
  }

  /** What the vendor wants back with this turn; nothing that was not told as hidden as well. */
  setProviderMetadata(opaque: unknown): void {
    this.#providerMetadata = opaque;
  }

  /** A tool call, or a piece of one: pieces with the same key are one call. */
  addToolCall(key: number | string, fragment: ToolCallDelta): void {
    let call = this.#calls.get(key);
    if (call === undefined) {
      if (this.#calls.size === MAX_CALLS) {
        throw new ProviderError("provider_error", "the model vendor's answer holds too many calls");
      }
      call = { id: `own_${this.#stepId}_${this.#calls.size + 1}`, name: "", args: "" };
      this.#calls.set(key, call);
      this.#usage.onFirstOutput();
    }
    if (fragment.id) call.id = fragment.id;
    if (fragment.name) call.name = fragment.name.slice(0, MAX_NAME_LENGTH);
    if (fragment.providerMetadata !== undefined) call.providerMetadata = fragment.providerMetadata;
    if (!fragment.args) return;
    this.#usage.countText(fragment.args);
    this.#addLength(fragment.args);
    call.args += fragment.args;
  }

  /** How many tool calls have begun. */
  get toolCallCount(): number {
    return this.#calls.size;
  }

  addUsage(usage: Parameters<UsageTracker["report"]>[0]): void {
    this.#usage.report(usage);
  }

  /** Why the model stopped; usage may still follow. */
  setStopReason(reason: StopReason): void {
    this.#stopReason = reason;
  }

  /** The vendor's mark that nothing follows. */
  markComplete(): void {
    this.#closed = true;
  }

  get isComplete(): boolean {
    return this.#closed;
  }

  /** Whether the model said why it stopped, so that the answer is whole. */
  get hasStopReason(): boolean {
    return this.#stopReason !== undefined;
  }

  /** Whether there is anything of an answer, be it that there will be none. */
  get hasStarted(): boolean {
    return !this.isEmpty || this.hasStopReason;
  }

  /** Whether nothing was said at all. */
  get isEmpty(): boolean {
    return this.#length === 0 && this.#calls.size === 0;
  }

  /** The events since the last time. */
  takeEvents(): ModelEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  get hasEvents(): boolean {
    return this.#events.length > 0;
  }

  /** What was used so far of an answer that broke off. */
  partialUsage(): ModelEvent {
    return { type: "usage", ...this.#usage.total(false) };
  }

  /** The last events of a whole answer: its calls, its usage, its end. */
  *finalEvents(): Generator<ModelEvent> {
    // Calls cut short by a limit or a filter hold arguments that the model did not finish.
    const whole = this.#stopReason === "tool_calls" || this.#stopReason === "stop";
    const calls = whole ? [...this.#calls.values()].filter((call) => call.name !== "") : [];
    for (const call of calls) yield { type: "tool_call", call };
    yield { type: "usage", ...this.#usage.total(true) };
    // Some vendors say "stop" and mean the calls; one that says "calls" without any means "stop".
    const reason = whole ? (calls.length > 0 ? "tool_calls" : "stop") : this.#stopReason!;
    const isKept = calls.length > 0 && this.#providerMetadata !== undefined &&
      this.#reasoningLength <= MAX_METADATA_LENGTH;
    yield { type: "end", reason, ...(isKept ? { providerMetadata: this.#providerMetadata } : {}) };
  }

  #addLength(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_RESPONSE_LENGTH) {
      throw new ProviderError("provider_error", "the model vendor's answer is too long");
    }
  }
}

/** Whether the id of a call is one we gave it because its vendor did not. */
export function isGeneratedCallId(id: string): boolean {
  return /^own_\d+_\d+$/.test(id);
}
