import { ModelError } from "./model.ts";

export interface ProviderErrorOptions extends ErrorOptions {
  /**
   * Whether a retry may help: `now` if a reused connection turned out to be closed, `later` if the
   * provider is overloaded or unreachable.
   */
  retry?: "no" | "now" | "later";
  retryAfterMs?: number | undefined;
  /** HTTP status of an error response. */
  status?: number;
  /** The provider itself reported that there is no answer. */
  reportedByProvider?: boolean;
  /** For the operator's log, never for a message. */
  errorBody?: string;
}

/** A `ModelError` with what retries and the operator's log need. */
export class ProviderError extends ModelError {
  readonly retry: "no" | "now" | "later";
  readonly status: number | undefined;
  readonly reportedByProvider: boolean;
  /** Private, so that printing the error with its fields never prints it. */
  readonly #errorBody: string | undefined;

  constructor(code: ModelError["code"], message: string, options: ProviderErrorOptions = {}) {
    super(code, message, options);
    this.retry = options.retry ?? "no";
    this.status = options.status;
    this.reportedByProvider = options.reportedByProvider ?? false;
    this.#errorBody = options.errorBody;
  }

  /** The provider's response as received; may contain secrets. */
  get errorBody(): string | undefined {
    return this.#errorBody;
  }
}
