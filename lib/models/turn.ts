import { VendorFault } from "./connection/vendor_fault.ts";
import type { EndReason, ModelEvent, ModelToolCall } from "./model.ts";
import type { UsageTally } from "./usage_tally.ts";

/** All text and arguments of one answer, in characters: no honest answer is longer. */
const MAX_ANSWER_LENGTH = 4_194_304;
/** Calls of one answer: each is carried out, and many an API is asked once for each. */
const MAX_CALLS = 256;
/**
 * What of a turn goes back to its vendor, in characters: each later step of the run sends it again.
 * Several times what the longest answer we allow can think.
 */
const MAX_KEPT_LENGTH = 262_144;
/** Longer than a tool's name can be, so that what is cut is still nobody's. */
const MAX_NAME_LENGTH = 128;

/** A piece of a tool call; what is absent was said before or is still to come. */
export interface CallFragment {
  id?: string | undefined;
  name?: string | undefined;
  args?: string | undefined;
  opaque?: unknown;
}

/**
 * One answer as a vendor's stream builds it up, in no vendor's shape. A decoder tells it what came;
 * it hands out the events that follow from it.
 */
export class Turn {
  readonly #tally: UsageTally;
  readonly #calls = new Map<number | string, ModelToolCall>();
  readonly #step: number;
  #events: ModelEvent[] = [];
  #reason: EndReason | undefined;
  #length = 0;
  #hiddenLength = 0;
  #kept: unknown;
  #closed = false;

  /** `step` is any number that no other answer of the run has: own call ids are made with it. */
  constructor(tally: UsageTally, step: number) {
    this.#tally = tally;
    this.#step = step;
  }

  /** Text for the reader; what comes together is told together. */
  text(text: string): void {
    if (text === "") return;
    this.#tally.saw(text);
    this.#count(text);
    const last = this.#events.at(-1);
    if (last?.type === "text") last.text += text;
    else this.#events.push({ type: "text", text });
  }

  /** Output nobody is shown, such as reasoning: it is paid for all the same. */
  hidden(text: string): void {
    if (text === "") return;
    this.#tally.sawHidden(text);
    this.#hiddenLength += text.length;
    this.#count(text);
  }

  /** What the vendor wants back with this turn; nothing that was not told as hidden as well. */
  keep(opaque: unknown): void {
    this.#kept = opaque;
  }

  /** A tool call, or a piece of one: pieces with the same key are one call. */
  call(key: number | string, fragment: CallFragment): void {
    let call = this.#calls.get(key);
    if (call === undefined) {
      if (this.#calls.size === MAX_CALLS) {
        throw new VendorFault("provider_error", "the model vendor's answer holds too many calls");
      }
      call = { id: `own_${this.#step}_${this.#calls.size + 1}`, name: "", args: "" };
      this.#calls.set(key, call);
      this.#tally.speaks();
    }
    if (fragment.id) call.id = fragment.id;
    if (fragment.name) call.name = fragment.name.slice(0, MAX_NAME_LENGTH);
    if (fragment.opaque !== undefined) call.opaque = fragment.opaque;
    if (!fragment.args) return;
    this.#tally.saw(fragment.args);
    this.#count(fragment.args);
    call.args += fragment.args;
  }

  /** How many tool calls have begun. */
  get calls(): number {
    return this.#calls.size;
  }

  usage(usage: Parameters<UsageTally["report"]>[0]): void {
    this.#tally.report(usage);
  }

  /** Why the model stopped; usage may still follow. */
  stop(reason: EndReason): void {
    this.#reason = reason;
  }

  /** The vendor's mark that nothing follows. */
  close(): void {
    this.#closed = true;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether the model said why it stopped, so that the answer is whole. */
  get stopped(): boolean {
    return this.#reason !== undefined;
  }

  /** Whether there is anything of an answer, be it that there will be none. */
  get begun(): boolean {
    return !this.empty || this.stopped;
  }

  /** Whether nothing was said at all. */
  get empty(): boolean {
    return this.#length === 0 && this.#calls.size === 0;
  }

  /** The events since the last time. */
  take(): ModelEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  get pending(): boolean {
    return this.#events.length > 0;
  }

  /** What was used so far of an answer that broke off. */
  brokenUsage(): ModelEvent {
    return { type: "usage", ...this.#tally.total(false) };
  }

  /** The last events of a whole answer: its calls, its usage, its end. */
  *conclude(): Generator<ModelEvent> {
    // Calls cut short by a limit or a filter hold arguments that the model did not finish.
    const whole = this.#reason === "tool_calls" || this.#reason === "stop";
    const calls = whole ? [...this.#calls.values()].filter((call) => call.name !== "") : [];
    for (const call of calls) yield { type: "tool_call", call };
    yield { type: "usage", ...this.#tally.total(true) };
    // Some vendors say "stop" and mean the calls; one that says "calls" without any means "stop".
    const reason = whole ? (calls.length > 0 ? "tool_calls" : "stop") : this.#reason!;
    const isKept = calls.length > 0 && this.#kept !== undefined &&
      this.#hiddenLength <= MAX_KEPT_LENGTH;
    yield { type: "end", reason, ...(isKept ? { opaque: this.#kept } : {}) };
  }

  #count(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_ANSWER_LENGTH) {
      throw new VendorFault("provider_error", "the model vendor's answer is too long");
    }
  }
}

/** Whether the id of a call is one we gave it because its vendor did not. */
export function isOwnCallId(id: string): boolean {
  return /^own_\d+_\d+$/.test(id);
}
