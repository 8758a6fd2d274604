import { EgressError } from "./egress_error.ts";

const WORDS: ReadonlyMap<string, string> = new Map([
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
  const known = WORDS.get(code);
  if (known !== undefined) return known;
  if (code.startsWith("HPE_")) return "answered with something that is not HTTP";
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code)) return "has no valid certificate";
  if (code.startsWith("Z_") || code.includes("BROTLI")) return "sent a damaged answer";
  return "could not be reached";
}
