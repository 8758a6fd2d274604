import type { StatusCode } from "@std/http/status";

type Failing<S> = S extends StatusCode ? `${S}` extends `${4 | 5}${string}` ? S : never : never;

/** A status from 400 up. */
export type ErrorStatus = Failing<StatusCode>;

/**
 * Throw this to end a request with `status`. The message is sent to the client as it is, so it must
 * hold nothing private; left out, it is `""` and the client reads the status text.
 */
export class HttpError extends Error {
  status: ErrorStatus;

  constructor(status: ErrorStatus, message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = this.constructor.name;
    this.status = status;
  }
}
