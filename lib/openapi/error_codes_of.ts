import type { ErrorCode } from "../wire/error_codes.ts";
import type { Operation } from "./operation.ts";

/**
 * Every code the operation may refuse with: its own, and those that its credential, its body and its
 * address bring along.
 */
export function operationErrorCodes(operation: Operation): ErrorCode[] {
  // Outside /v1 a refusal is a page or a status, never the envelope.
  if (!operation.path.startsWith("/v1/")) return [];
  const codes: ErrorCode[] = [...authErrorCodes(operation.auth), ...operation.errors ?? []];
  if (operation.body !== undefined) {
    codes.push("schema_validation_failed", "payload_too_large", "unsupported_media_type");
  }
  if (operation.idempotent) codes.push("schema_validation_failed", "idempotency_key_reused");
  if (operation.rateLimited) codes.push("rate_limit_exceeded");
  codes.push("method_not_allowed", "internal_error", "service_unavailable");
  return [...new Set(codes)];
}

function authErrorCodes(auth: Operation["auth"]): ErrorCode[] {
  if (auth === "none") return [];
  if (auth === "key or session") {
    return ["invalid_api_key", "insufficient_scope", "session_token_invalid"];
  }
  return ["invalid_api_key", "insufficient_scope"];
}
