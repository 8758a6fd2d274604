import { ModelError } from "./model.ts";

export interface ProviderErrorOptions extends ErrorOptions {
  /**
   * Whether the same request may be sent again while nothing of an answer has come: `now` for a
   * kept connection that turned out to be closed, `later` for a vendor that is busy or away.
   */
  retry?: "no" | "now" | "later";
  retryAfterMs?: number | undefined;
  /** HTTP status of a refusal. */
  status?: number;
  /** The vendor itself said that there is no answer. */
  reportedByProvider?: boolean;
  /** The vendor's own words: for the operator's log, never for a message. */
  errorBody?: string;
}

/** A `ModelError` that also knows whether to try again and what the operator should read. */
export class ProviderError extends ModelError {
  readonly retry: "no" | "now" | "later";
  readonly status: number | undefined;
  readonly reportedByProvider: boolean;
  /** Private, so that nothing that prints an error with its fields prints a vendor's words. */
  readonly #words: string | undefined;

  constructor(code: ModelError["code"], message: string, options: ProviderErrorOptions = {}) {
    super(code, message, options);
    this.retry = options.retry ?? "no";
    this.status = options.status;
    this.reportedByProvider = options.reportedByProvider ?? false;
    this.#words = options.errorBody;
  }

  /** The vendor's own words, secrets and all. */
  get errorBody(): string | undefined {
    return this.#words;
  }
}
