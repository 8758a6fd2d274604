import { utf8Length } from "../platform/utf8.ts";
import type { ModelUsage } from "./model.ts";

/**
 * UTF-8 bytes that we count as one token where a vendor does not say. Prose comes to about four, the
 * densest scripts to about two: the estimate errs upward, for it stands in for a bill.
 */
const BYTES_PER_TOKEN = 2;

/**
 * Tokens a second that a silent model is taken to think, once it has had time to read. Reasoning models
 * write 50 to 150; who is stopped before a first word would else have thought for nothing.
 */
const REASONING_TOKENS_PER_SECOND = 100;
/** Any model is silent for so long, in milliseconds: who is stopped at once has written nothing. */
const READING_MS = 2_000;

/** No step reads or writes more: beyond it a count is a fault, and sums of such must stay exact. */
const MAX_TOKENS = 1_000_000_000;

/** What a vendor claims; each is a total so far, and what is not a sane count says nothing. */
export interface ReportedUsage {
  inputTokens?: unknown;
  outputTokens?: unknown;
  cachedInputTokens?: unknown;
  reasoningTokens?: unknown;
}

export interface UsageTrackerOptions {
  requestBytes: number;
  maxOutputTokens: number;
  /** Tokens that nobody reads more than. */
  maxInputTokens?: number | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** The model is known to reason: some vendors answer nothing, not even a head, until it has. */
  reasons?: boolean;
  /** Told when the model is seen to reason. */
  onReasoning?: () => void;
}

/** Keeps what a vendor says that a step used, and what we saw of it. */
export class UsageTracker {
  readonly #options: UsageTrackerOptions;
  #reportedUsage: { [Key in keyof ReportedUsage]?: number } = {};
  #textBytes = 0;
  #reasoningBytes = 0;
  /** From when on the model may think without anybody counting it. */
  #uncountedSince: number | undefined;
  /** When it said its first word, in a text or a call. */
  #firstOutputAt: number | undefined;

  constructor(options: UsageTrackerOptions) {
    this.#options = options;
    if (options.reasons) this.#uncountedSince = options.now();
  }

  /** The vendor began to answer then. */
  onResponseStart(at: number): void {
    this.#uncountedSince ??= at;
  }

  /** A later count replaces an earlier one. */
  report(usage: ReportedUsage): void {
    const { outputTokens: before = 0 } = this.#reportedUsage;
    for (const key of KEYS) {
      const value = usage[key];
      if (isTokenCount(value)) this.#reportedUsage[key] = value;
    }
    const { outputTokens = 0, reasoningTokens = 0 } = this.#reportedUsage;
    if (reasoningTokens > 0) this.#options.onReasoning?.();
    // What was thought up to a count is in it.
    if (this.#firstOutputAt === undefined && outputTokens > before) {
      this.#uncountedSince = this.#options.now();
    }
  }

  /** Whether the vendor has counted anything. */
  get hasReport(): boolean {
    return Object.keys(this.#reportedUsage).length > 0;
  }

  /** The model begins to say something: whatever it thought before, it has thought. */
  onFirstOutput(): void {
    this.#firstOutputAt ??= this.#options.now();
  }

  /** Text or arguments that arrived. */
  countText(text: string): void {
    this.onFirstOutput();
    this.#textBytes += utf8Length(text);
  }

  /** Output that arrived and nobody is shown. */
  countReasoning(text: string): void {
    if (this.#reasoningBytes === 0) this.#options.onReasoning?.();
    this.#reasoningBytes += utf8Length(text);
  }

  /**
   * The account. `whole` says that the vendor told all it had to tell; of an answer that broke off it
   * cannot have counted what came after its last word.
   */
  total(whole: boolean): ModelUsage {
    const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = this.#reportedUsage;
    const { requestBytes, maxInputTokens = Infinity } = this.#options;
    const outputKnown = whole && outputTokens !== undefined;
    const known = outputKnown && inputTokens !== undefined;
    return {
      inputTokens: inputTokens ?? Math.min(estimateTokens(requestBytes), maxInputTokens),
      outputTokens: outputKnown ? outputTokens : Math.max(outputTokens ?? 0, this.#estimate(whole)),
      ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
      ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
      ...(known ? {} : { estimated: true }),
    };
  }

  /**
   * What the model wrote by what was seen of it; before its first word a broken answer may hold more
   * than that, told in summary or not at all. Never more than it was allowed.
   */
  #estimate(whole: boolean): number {
    const shown = estimateTokens(this.#textBytes);
    const hidden = estimateTokens(this.#reasoningBytes);
    const thought = whole ? hidden : Math.max(hidden, this.#silentTokens());
    return Math.min(shown + thought, this.#options.maxOutputTokens);
  }

  #silentTokens(): number {
    if (this.#uncountedSince === undefined) return 0;
    const silentMs = (this.#firstOutputAt ?? this.#options.now()) - this.#uncountedSince -
      READING_MS;
    return Math.max(0, Math.ceil(silentMs * REASONING_TOKENS_PER_SECOND / 1_000));
  }
}

const KEYS = ["inputTokens", "outputTokens", "cachedInputTokens", "reasoningTokens"] as const;

function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Whether a vendor's count can be true. */
export function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && value as number >= 0 && value as number <= MAX_TOKENS;
}
