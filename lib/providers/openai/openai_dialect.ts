import type { ErrorResponse } from "../protocol.ts";

/** The fields in which servers of this protocol differ. */
export interface OpenaiDialect {
  /** OpenAI's reasoning models reject the old name; many servers reject or ignore the new one. */
  limitField: "max_tokens" | "max_completion_tokens";
  /** Usage in a stream must be requested, but some servers send it anyway and reject the field. */
  requestsUsage: boolean;
  /**
   * Whether turns with calls go back with their reasoning. `always` sends an empty one for turns of
   * another provider, which servers that demand reasoning accept.
   */
  returnsReasoning: "if_given" | "always" | "never";
}

/** The dialect of each model of a connection: a guess from the host, then what the server demanded. */
export class OpenaiDialects {
  readonly #initial: OpenaiDialect;
  readonly #learned = new Map<string, OpenaiDialect>();

  constructor(baseUrl: string) {
    const isOpenai = /(^|\.)openai\.(com|azure\.com)$/.test(new URL(baseUrl).hostname);
    this.#initial = {
      limitField: isOpenai ? "max_completion_tokens" : "max_tokens",
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
 * The dialect to try after an error response that names one of its fields; `undefined` for any other.
 * Learn it only after success, because the response may quote the request.
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
