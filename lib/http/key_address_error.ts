import { ApiError } from "../schemas/api_error.ts";
import type { ApiKeyIdentity } from "../store/credentials/api_key_store.ts";

/** A valid API key was used from an address that it is not for; the middleware reports it once. */
export class KeyAddressError extends ApiError {
  override name = "KeyAddressError";
  readonly apiKey: ApiKeyIdentity;

  constructor(apiKey: ApiKeyIdentity) {
    super("address_not_allowed", "the API key may not be used from this address");
    this.apiKey = apiKey;
  }
}
