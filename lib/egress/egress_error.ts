/** Why a call did not go through; each is also the code a tool's result carries. */
export type EgressErrorCode =
  | "domain_not_allowed"
  | "tool_timeout"
  | "tool_response_too_large"
  | "tool_unreachable";

/** A call that was refused or that failed. The message is ours and may be shown to a model. */
export class EgressError extends Error {
  override name = "EgressError";
  readonly code: EgressErrorCode;

  constructor(code: EgressErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** One hop of a call, as it is kept with the run. It holds no path, query, header or body. */
export interface EgressCall {
  /** Host and, if it is not the default, port. */
  host: string;
  /** The address the connection was made to, from the guard's own lookup. */
  address?: string;
  method: string;
  status?: number;
  /** Bytes of the body that arrived, as sent on the wire. */
  bytes: number;
  /** Milliseconds from the check to the end of the body. */
  ms: number;
  /** Why it was refused or failed. */
  refused?: string;
  /** 0 for the call itself, then one more for each redirect followed. */
  hop: number;
}
