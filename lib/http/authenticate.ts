import { rejectApiKey } from "../schemas/credential_errors.ts";
import { setActor } from "../store/audit/actor.ts";
import type { KvReader, View } from "../store/tx/view.ts";
import { ApiError } from "../schemas/api_error.ts";
import type {
  ApiKeyIdentity,
  ApiKeyStore,
  PrefetchKeys,
} from "../store/credentials/api_key_store.ts";
import { canChat, hasScope, type Scope } from "../schemas/scopes.ts";

/** The key of `Authorization: Bearer <key>`; `undefined` when the header is absent. */
export function bearerKey(req: Request): string | undefined {
  const header = req.headers.get("authorization");
  if (header === null) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
}

/** What authenticating a request takes: the keys, and the meter that counts it. */
export interface AuthenticationContext {
  service: { apiKeys: ApiKeyStore };
  rateLimiter: {
    countWithKey(find: (view: View) => Promise<ApiKeyIdentity>): Promise<ApiKeyIdentity>;
  };
}

/** Whom the request's API key speaks for; 401 when it has none that is valid. Counts nothing. */
export async function identifyKey(
  req: Request,
  apiKeys: ApiKeyStore,
  options: { reader?: KvReader; beside?: PrefetchKeys } = {},
): Promise<ApiKeyIdentity> {
  const identity = await apiKeys.verify(bearerKey(req) ?? "", options);
  return identity ?? rejectApiKey();
}

/** As `identifyKey`, counted against the limits, and 403 unless the key carries `scope`. */
export async function requireScope(
  req: Request,
  { service, rateLimiter }: AuthenticationContext,
  scope: Scope,
): Promise<ApiKeyIdentity> {
  const identity = await rateLimiter.countWithKey((reader) =>
    identifyKey(req, service.apiKeys, { reader })
  );
  setActor({ kind: "api_key", id: identity.id });
  if (hasScope(identity.scopes, scope)) return identity;
  throw new ApiError("insufficient_scope", `the API key needs the scope ${scope}`, {
    details: { scope },
  });
}

/** 403 for a key that may only read: a key for reports must not spend money or see what was said. */
export function requireChatAccess({ scopes }: ApiKeyIdentity): void {
  if (canChat(scopes)) return;
  throw new ApiError(
    "insufficient_scope",
    "the API key may only read: to chat, follow or cancel it needs a scope that does not end in :read",
  );
}
