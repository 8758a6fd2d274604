import { ApiError } from "../errors.ts";
import type { ApiKeyIdentity, ApiKeyStore } from "../storage/api_key_store.ts";
import { hasScope, type Scope } from "../wire/scopes.ts";

const CHALLENGE = { "www-authenticate": 'Bearer realm="agent-chat"' };

/** The key of `Authorization: Bearer <key>`; `undefined` when the header is absent. */
export function bearerKey(req: Request): string | undefined {
  const header = req.headers.get("authorization");
  if (header === null) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
}

/** Whom the request's API key speaks for; 401 when it has none that is valid. */
export async function requireApiKey(req: Request, keys: ApiKeyStore): Promise<ApiKeyIdentity> {
  const identity = await keys.verify(bearerKey(req) ?? "");
  if (identity !== undefined) return identity;
  const message = "a valid API key is required as Authorization: Bearer <API_KEY>";
  throw new ApiError("invalid_api_key", message, { headers: CHALLENGE });
}

/** As `requireApiKey`, and 403 unless the key carries `scope`. */
export async function requireScope(
  req: Request,
  keys: ApiKeyStore,
  scope: Scope,
): Promise<ApiKeyIdentity> {
  const identity = await requireApiKey(req, keys);
  if (hasScope(identity.scopes, scope)) return identity;
  throw new ApiError("insufficient_scope", `the API key needs the scope ${scope}`, {
    details: { scope },
  });
}
