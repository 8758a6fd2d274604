import { ApiError } from "../errors.ts";
import type { ApiKeyIdentity, ApiKeyStore } from "../storage/api_key_store.ts";
import type { RequestMeter } from "./request_meter.ts";
import { hasScope, type Scope } from "../wire/scopes.ts";

const CHALLENGE = { "www-authenticate": 'Bearer realm="agent-chat"' };

/** The key of `Authorization: Bearer <key>`; `undefined` when the header is absent. */
export function bearerKey(req: Request): string | undefined {
  const header = req.headers.get("authorization");
  if (header === null) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
}

/** What authenticating a request takes: the keys, and the meter that counts it. */
export interface Authentication {
  service: { apiKeys: ApiKeyStore };
  meter: Pick<RequestMeter, "identify" | "count">;
}

/** Whom the request's API key speaks for; 401 when it has none that is valid. Counts nothing yet. */
export async function requireApiKey(
  req: Request,
  { service, meter }: Authentication,
): Promise<ApiKeyIdentity> {
  const identity = await service.apiKeys.verify(bearerKey(req) ?? "");
  if (identity !== undefined) {
    meter.identify(identity);
    return identity;
  }
  const message = "a valid API key is required as Authorization: Bearer <API_KEY>";
  throw new ApiError("invalid_api_key", message, { headers: CHALLENGE });
}

/** As `requireApiKey`, counted against the limits, and 403 unless the key carries `scope`. */
export async function requireScope(
  req: Request,
  state: Authentication,
  scope: Scope,
): Promise<ApiKeyIdentity> {
  const identity = await requireApiKey(req, state);
  await state.meter.count();
  if (hasScope(identity.scopes, scope)) return identity;
  throw new ApiError("insufficient_scope", `the API key needs the scope ${scope}`, {
    details: { scope },
  });
}
