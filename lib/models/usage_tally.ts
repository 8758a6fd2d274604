import type { ModelUsage } from "./model.ts";

/**
 * UTF-8 bytes that we count as one token where a vendor does not say. Prose comes to about four, the
 * densest scripts to about two: the estimate errs upward, for it stands in for a bill.
 */
const BYTES_PER_TOKEN = 2;

/** No step reads or writes more: beyond it a count is a fault, and sums of such must stay exact. */
const MOST_TOKENS = 1_000_000_000;

/** What a vendor claims; each is a total so far, and what is not a sane count says nothing. */
export interface ReportedUsage {
  inputTokens?: unknown;
  outputTokens?: unknown;
  cachedInputTokens?: unknown;
  reasoningTokens?: unknown;
}

export interface UsageTallyOptions {
  requestBytes: number;
  maxOutputTokens: number;
  /** Tokens that nobody reads more than. */
  inputBound?: number | undefined;
}

/** Keeps what a vendor says that a step used, and what we saw of it. */
export class UsageTally {
  readonly #options: UsageTallyOptions;
  #said: { [Key in keyof ReportedUsage]?: number } = {};
  #outputBytes = 0;

  constructor(options: UsageTallyOptions) {
    this.#options = options;
  }

  /** A later count replaces an earlier one. */
  report(usage: ReportedUsage): void {
    for (const key of KEYS) {
      const value = usage[key];
      if (isCount(value)) this.#said[key] = value;
    }
  }

  /** Whether the vendor has counted anything. */
  get reported(): boolean {
    return Object.keys(this.#said).length > 0;
  }

  /** Output that arrived, shown or not. */
  saw(text: string): void {
    this.#outputBytes += utf8Length(text);
  }

  /**
   * The account. `whole` says that the vendor told all it had to tell; of an answer that broke off it
   * cannot have counted what came after its last word.
   */
  total(whole: boolean): ModelUsage {
    const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = this.#said;
    const { requestBytes, maxOutputTokens, inputBound = Infinity } = this.#options;
    const seen = Math.min(tokensOf(this.#outputBytes), maxOutputTokens);
    const outputKnown = whole && outputTokens !== undefined;
    const known = outputKnown && inputTokens !== undefined;
    return {
      inputTokens: inputTokens ?? Math.min(tokensOf(requestBytes), inputBound),
      outputTokens: outputKnown ? outputTokens : Math.max(outputTokens ?? 0, seen),
      ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
      ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
      ...(known ? {} : { estimated: true }),
    };
  }
}

const KEYS = ["inputTokens", "outputTokens", "cachedInputTokens", "reasoningTokens"] as const;

function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Whether a vendor's count can be true. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && value as number >= 0 && value as number <= MOST_TOKENS;
}

/** Without encoding: it is asked for every fragment. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Half of a surrogate pair is two of its four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
