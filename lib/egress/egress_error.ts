/** Also the error codes of tool results. */
export type EgressErrorCode =
  | "domain_not_allowed"
  | "tool_timeout"
  | "tool_response_too_large"
  | "tool_unreachable";

/** A call that was rejected or failed. A model may see the message. */
export class EgressError extends Error {
  override name = "EgressError";
  readonly code: EgressErrorCode;
  /** No server received anything of the call, so that it can be made again. */
  readonly isUnsent: boolean;

  constructor(
    code: EgressErrorCode,
    message: string,
    { isUnsent = false, ...options }: ErrorOptions & { isUnsent?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.isUnsent = isUnsent;
  }
}

/** One hop of a call, as stored with the run. It holds no path, query, header or body. */
export interface EgressCall {
  /** With the port unless it is the default. */
  host: string;
  address?: string;
  method: string;
  status?: number;
  /** Received bytes of the body, before decoding. */
  bytes: number;
  /** Milliseconds from the check of the target to the end of the body. */
  ms: number;
  refused?: string;
  /** 0 for the call itself, then the number of the redirect. */
  hop: number;
}

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "refused the connection"],
  ["ECONNRESET", "closed the connection"],
  ["EHOSTUNREACH", "has no route to it"],
  ["ENETUNREACH", "has no route to it"],
  ["ERR_STREAM_PREMATURE_CLOSE", "closed the connection"],
]);

/**
 * Wraps any failure of a call; `isFirst` unless it follows a redirect. Messages of sockets are replaced,
 * because they may hold addresses.
 */
export function toEgressError(error: unknown, host: string, { isFirst = false } = {}): EgressError {
  if (error instanceof EgressError) return error;
  const code = error instanceof Error && "code" in error ? `${error.code}` : "";
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = `the headers of the response from ${host} are too large`;
    return new EgressError("tool_response_too_large", message, { cause: error });
  }
  const isUnsent = isFirst && (UNSENT.has(code) || CERTIFICATE.test(code));
  return new EgressError("tool_unreachable", `${host} ${describe(code)}`, {
    cause: error,
    isUnsent,
  });
}

/** No connection was made. A reset is not among them: the server may have read the request. */
const UNSENT = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);
/** Nothing is sent before the server's certificate is accepted. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_/;

function describe(code: string): string {
  const known = MESSAGES.get(code);
  if (known !== undefined) return known;
  if (code.startsWith("HPE_")) return "sent a response that is not HTTP";
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code)) return "has no valid certificate";
  if (code.startsWith("Z_") || code.includes("BROTLI")) return "sent a damaged response";
  return "could not be reached";
}
