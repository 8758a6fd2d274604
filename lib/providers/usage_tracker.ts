import { utf8Length } from "../platform/utf8.ts";
import type { ModelUsage } from "./model.ts";

/**
 * UTF-8 bytes per token where the provider reports no usage. Prose has about four, the densest scripts
 * about two: the estimate is high because it may be billed.
 */
const BYTES_PER_TOKEN = 2;

/** Tokens per second that a silent model is assumed to reason; models write 50 to 150. */
const REASONING_TOKENS_PER_SECOND = 100;
/** Time before any model writes, in milliseconds: an immediate abort costs no output. */
const READING_MS = 2_000;

/** Larger counts are invalid; the sums of valid ones stay exact. */
const MAX_TOKENS = 1_000_000_000;

const INPUT_PARTS = ["cachedInputTokens", "cacheWriteTokens", "cacheWrite1hTokens"] as const;
const KEYS = ["inputTokens", "outputTokens", ...INPUT_PARTS, "reasoningTokens"] as const;

/** The provider's counts; each is a total so far, and invalid ones are ignored. */
export type ReportedUsage = { [Key in typeof KEYS[number]]?: unknown };

export interface UsageTrackerOptions {
  requestBytes: number;
  maxOutputTokens: number;
  /** Upper bound of the input tokens. */
  maxInputTokens?: number | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** The model is known to reason; some providers send not even headers before it has. */
  reasons?: boolean;
  /** Called when the model is seen to reason. */
  onReasoning?: () => void;
}

/** Tracks the usage that a provider reports for a step and the output received. */
export class UsageTracker {
  readonly #options: UsageTrackerOptions;
  #reportedUsage: { [Key in keyof ReportedUsage]?: number } = {};
  #textBytes = 0;
  #reasoningBytes = 0;
  /** Start of the time in which the model may have reasoned without being counted. */
  #uncountedSince: number | undefined;
  #firstOutputAt: number | undefined;

  constructor(options: UsageTrackerOptions) {
    this.#options = options;
    if (options.reasons) this.#uncountedSince = options.now();
  }

  /** Called with the time at which the provider began to answer. */
  onResponseStart(at: number): void {
    this.#uncountedSince ??= at;
  }

  /** Later counts replace earlier ones. */
  report(usage: ReportedUsage): void {
    const { outputTokens: before = 0 } = this.#reportedUsage;
    for (const key of KEYS) {
      const value = usage[key];
      if (isTokenCount(value)) this.#reportedUsage[key] = value;
    }
    const { outputTokens = 0, reasoningTokens = 0 } = this.#reportedUsage;
    if (reasoningTokens > 0) this.#options.onReasoning?.();
    // The count includes all reasoning up to now.
    if (this.#firstOutputAt === undefined && outputTokens > before) {
      this.#uncountedSince = this.#options.now();
    }
  }

  get hasReport(): boolean {
    return Object.keys(this.#reportedUsage).length > 0;
  }

  /** Called when the model begins a text or call, which ends its reasoning. */
  onFirstOutput(): void {
    this.#firstOutputAt ??= this.#options.now();
  }

  countText(text: string): void {
    this.onFirstOutput();
    this.#textBytes += utf8Length(text);
  }

  countReasoning(text: string): void {
    if (this.#reasoningBytes === 0) this.#options.onReasoning?.();
    this.#reasoningBytes += utf8Length(text);
  }

  /**
   * The total usage. If the response is not `whole`, the reported output is incomplete, because it
   * cannot include what came after the last report. Parts are of reported totals only: one of an
   * estimate could make it cheaper.
   */
  total(whole: boolean): ModelUsage {
    const { inputTokens, outputTokens, reasoningTokens } = this.#reportedUsage;
    const { requestBytes, maxInputTokens = Infinity } = this.#options;
    const isOutputKnown = whole && outputTokens !== undefined;
    return {
      inputTokens: inputTokens ?? Math.min(estimateTokens(requestBytes), maxInputTokens),
      outputTokens: isOutputKnown
        ? outputTokens
        : Math.max(outputTokens ?? 0, this.#estimateOutput(whole)),
      ...(inputTokens === undefined ? {} : this.#inputParts()),
      ...(reasoningTokens === undefined || outputTokens === undefined ? {} : { reasoningTokens }),
      ...(isOutputKnown && inputTokens !== undefined ? {} : { estimated: true }),
    };
  }

  #inputParts(): Pick<ModelUsage, typeof INPUT_PARTS[number]> {
    const reported = INPUT_PARTS.map((key) => [key, this.#reportedUsage[key]] as const);
    return Object.fromEntries(reported.filter(([, count]) => count !== undefined));
  }

  /**
   * Estimates the output from what was received. A broken response may include more reasoning, which
   * providers summarize or omit. Never more than the output limit.
   */
  #estimateOutput(whole: boolean): number {
    const reasoning = estimateTokens(this.#reasoningBytes);
    const hidden = whole ? reasoning : Math.max(reasoning, this.#silentTokens());
    return Math.min(estimateTokens(this.#textBytes) + hidden, this.#options.maxOutputTokens);
  }

  #silentTokens(): number {
    if (this.#uncountedSince === undefined) return 0;
    const until = this.#firstOutputAt ?? this.#options.now();
    const silentMs = until - this.#uncountedSince - READING_MS;
    return Math.max(0, Math.ceil(silentMs * REASONING_TOKENS_PER_SECOND / 1_000));
  }
}

function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Whether a provider's count is plausible. */
export function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && value as number >= 0 && value as number <= MAX_TOKENS;
}
