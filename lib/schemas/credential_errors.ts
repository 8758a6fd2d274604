import { ApiError } from "./api_error.ts";

const CHALLENGE = { "www-authenticate": 'Bearer realm="agent-chat"' };

/** The one answer to an API key that is absent, unknown, expired or revoked. */
export function rejectApiKey(): never {
  const message = "a valid API key is required as Authorization: Bearer <API_KEY>";
  throw new ApiError("invalid_api_key", message, { headers: CHALLENGE });
}
