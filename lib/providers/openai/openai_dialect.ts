import type { ErrorResponse } from "../protocol.ts";

/** Where servers that speak this protocol differ on what they accept. */
export interface OpenaiDialect {
  /**
   * The vendor's own reasoning models refuse the old field; many compatible servers refuse or, worse,
   * ignore the new one.
   */
  limitField: "max_tokens" | "max_completion_tokens";
  /** Usage in a stream must be asked for; some servers give it unasked and refuse the question. */
  requestsUsage: boolean;
  /**
   * Whether a turn with calls goes back with the reasoning before it: where it came with some, always
   * (an empty one for a turn that another vendor made, which servers that insist accept), or never.
   */
  returnsReasoning: "if_given" | "always" | "never";
}

/** The dialect of each model of a slot: a first guess by the host, then what the server asked for. */
export class OpenaiDialects {
  readonly #initial: OpenaiDialect;
  readonly #learned = new Map<string, OpenaiDialect>();

  constructor(baseUrl: string) {
    const own = /(^|\.)openai\.(com|azure\.com)$/.test(new URL(baseUrl).hostname);
    this.#initial = {
      limitField: own ? "max_completion_tokens" : "max_tokens",
      requestsUsage: true,
      returnsReasoning: "if_given",
    };
  }

  get(model: string): OpenaiDialect {
    return this.#learned.get(model) ?? this.#initial;
  }

  learn(model: string, dialect: OpenaiDialect): void {
    if (dialect !== this.get(model)) this.#learned.set(model, dialect);
  }
}

/**
 * The dialect to try after a refusal that names a field of ours; undefined when it names none. The
 * words may quote the request, so it is kept only once the server has accepted it.
 */
export function nextDialect(
  dialect: OpenaiDialect,
  { status, errorBody = "" }: ErrorResponse,
): OpenaiDialect | undefined {
  if (status !== 400 && status !== 422) return undefined;
  if (dialect.requestsUsage && errorBody.includes("stream_options")) {
    return { ...dialect, requestsUsage: false };
  }
  if (errorBody.includes("reasoning_content") && dialect.returnsReasoning !== "never") {
    const returnsReasoning = dialect.returnsReasoning === "if_given" ? "always" : "never";
    return { ...dialect, returnsReasoning };
  }
  if (!errorBody.includes("max_completion_tokens")) return undefined;
  const limitField = dialect.limitField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  return { ...dialect, limitField };
}
