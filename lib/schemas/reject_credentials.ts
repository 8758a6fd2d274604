import { ApiError } from "./api_error.ts";

/** Rejects an API key that is missing, unknown, expired or revoked, always in the same words. */
export function rejectApiKey(): never {
  const message = "a valid API key is required as Authorization: Bearer <API_KEY>";
  const headers = { "www-authenticate": 'Bearer realm="agent-chat"' };
  throw new ApiError("invalid_api_key", message, { headers });
}

/** Rejects a session token that is unknown, expired or revoked, always in the same words. */
export function rejectSessionToken(): never {
  const message = "the session token is unknown, expired or revoked; mint a new one";
  const headers = { "www-authenticate": 'ServiceSession realm="agent-chat"' };
  throw new ApiError("session_token_invalid", message, { headers });
}

/**
 * Rejects a request of a session that is bound to a key, whatever is wrong with its proof. The caller
 * gets a nonce with it.
 */
export function rejectProof(): never {
  const message = "this session needs a valid proof of its key in the header DPoP with every call";
  throw new ApiError("session_token_invalid", message, { headers: challenge("invalid_token") });
}

/** Rejects a proof that is valid but for its nonce. The caller gets a new one and repeats the request. */
export function rejectProofNonce(): never {
  const message =
    "sign a new proof with the nonce in the header DPoP-Nonce, and repeat the request";
  throw new ApiError("use_dpop_nonce", message, { headers: challenge("use_dpop_nonce") });
}

/** RFC 9449, sections 7.1 and 9. */
function challenge(error: string): Record<string, string> {
  return { "www-authenticate": `DPoP realm="agent-chat", error="${error}", algs="ES256"` };
}
