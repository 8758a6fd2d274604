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

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "refused the connection"],
  ["ECONNRESET", "closed the connection"],
  ["EHOSTUNREACH", "has no route to it"],
  ["ENETUNREACH", "has no route to it"],
  ["ERR_STREAM_PREMATURE_CLOSE", "closed the connection"],
]);

/** Any failure of a call as an `EgressError`, in our own words: a socket's may quote addresses. */
export function toEgressError(error: unknown, host: string): EgressError {
  if (error instanceof EgressError) return error;
  const code = error instanceof Error && "code" in error ? `${error.code}` : "";
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = `the head of the answer from ${host} is too large`;
    return new EgressError("tool_response_too_large", message, { cause: error });
  }
  return new EgressError("tool_unreachable", `${host} ${describe(code)}`, { cause: error });
}

function describe(code: string): string {
  const known = MESSAGES.get(code);
  if (known !== undefined) return known;
  if (code.startsWith("HPE_")) return "answered with something that is not HTTP";
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code)) return "has no valid certificate";
  if (code.startsWith("Z_") || code.includes("BROTLI")) return "sent a damaged answer";
  return "could not be reached";
}
