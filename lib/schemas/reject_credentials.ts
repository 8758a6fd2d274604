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
