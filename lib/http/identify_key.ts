import { rejectApiKey } from "../schemas/reject_credentials.ts";
import { setActor } from "../store/audit/actor.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import { ApiError } from "../schemas/api_error.ts";
import type {
  ApiKeyIdentity,
  ApiKeyStore,
  PrefetchKeys,
} from "../store/credentials/api_key_store.ts";
import { canChat, hasScope, type Scope } from "../schemas/scopes.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/** The key of `Authorization: Bearer <key>`; `undefined` when the header is absent. */
export function bearerKey(req: Request): string | undefined {
  const header = req.headers.get("authorization");
  if (header === null) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
}

export interface AuthenticationContext {
  service: { apiKeys: ApiKeyStore };
  rateLimiter: Pick<RateLimiter, "countWithKey">;
}

/** Verifies the request's API key without counting the request. Throws 401. */
export async function identifyKey(
  req: Request,
  apiKeys: ApiKeyStore,
  options: { reader?: KvReader; prefetch?: PrefetchKeys } = {},
): Promise<ApiKeyIdentity> {
  const identity = await apiKeys.verify(bearerKey(req) ?? "", options);
  return identity ?? rejectApiKey();
}

/** Verifies the request's API key and counts the request against its limits. Throws 401, 429. */
export async function identifyAndCountKey(
  req: Request,
  { service, rateLimiter }: AuthenticationContext,
): Promise<ApiKeyIdentity> {
  return await rateLimiter.countWithKey((reader) => identifyKey(req, service.apiKeys, { reader }));
}

/** As `identifyAndCountKey`; throws 403 unless the key has `scope`. */
export async function requireScope(
  req: Request,
  context: AuthenticationContext,
  scope: Scope,
): Promise<ApiKeyIdentity> {
  const identity = await identifyAndCountKey(req, context);
  setActor({ kind: "api_key", id: identity.id });
  checkScope(identity, scope);
  return identity;
}

/** Throws 403 unless a key has `scope`. */
export function checkScope({ scopes }: Pick<ApiKeyIdentity, "scopes">, scope: Scope): void {
  if (hasScope(scopes, scope)) return;
  throw new ApiError("insufficient_scope", `the API key needs the scope ${scope}`, {
    details: { scope },
  });
}

/** Throws 403 for a read-only key, such as one for reports: it must not spend money or read chats. */
export function requireChatAccess({ scopes }: ApiKeyIdentity): void {
  if (canChat(scopes)) return;
  throw new ApiError(
    "insufficient_scope",
    "the API key may only read: to chat, follow or cancel it needs a scope that does not end in :read",
  );
}
