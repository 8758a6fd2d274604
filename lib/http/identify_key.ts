import { rejectApiKey } from "../schemas/reject_credentials.ts";
import { setActor } from "../store/audit/actor.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import { ApiError } from "../schemas/api_error.ts";
import { isInRanges } from "../platform/address_ranges.ts";
import { type AccessedAgent, checkAccessedAgent } from "./agent_access.ts";
import type {
  ApiKeyIdentity,
  ApiKeyStore,
  PrefetchKeys,
} from "../store/credentials/api_key_store.ts";
import { canChat, hasScope, type Scope } from "../schemas/scopes.ts";
import { KeyAddressError } from "./key_address_error.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/** The key of `Authorization: Bearer <key>`; `undefined` when the header is absent. */
export function bearerKey(req: Request): string | undefined {
  const header = req.headers.get("authorization");
  if (header === null) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
}

/** What verifying a key needs of a request's state. */
export interface KeyContext {
  service: { apiKeys: Pick<ApiKeyStore, "verify"> };
  clientAddress: string;
}

export interface AuthenticationContext extends KeyContext {
  rateLimiter: Pick<RateLimiter, "countWithKey">;
}

/**
 * Verifies the request's API key without counting the request. Throws 401, or 403 from an address that
 * the key is not for.
 */
export async function identifyKey(
  req: Request,
  { service, clientAddress }: KeyContext,
  options: { reader?: KvReader; prefetch?: PrefetchKeys } = {},
): Promise<ApiKeyIdentity> {
  const identity = await service.apiKeys.verify(bearerKey(req) ?? "", options) ?? rejectApiKey();
  const { addresses } = identity;
  if (addresses === undefined || isInRanges(clientAddress, addresses)) return identity;
  throw new KeyAddressError(identity);
}

/** As `identifyKey`, and counts the request against the key's limits. Throws 401, 403, 429. */
export async function identifyAndCountKey(
  req: Request,
  context: AuthenticationContext,
): Promise<ApiKeyIdentity> {
  return await context.rateLimiter.countWithKey((reader) => identifyKey(req, context, { reader }));
}

/** A scope, and the agent that the request is about. */
export interface AgentScope {
  scope: Scope;
  agentId: AccessedAgent;
}

/**
 * As `identifyAndCountKey`; throws 403 unless the key has the scope, and for a key that is restricted to
 * agents unless the request is about one of them.
 */
export async function requireScope(
  req: Request,
  context: AuthenticationContext,
  wanted: Scope | AgentScope,
): Promise<ApiKeyIdentity> {
  const { scope, agentId } = typeof wanted === "string"
    ? { scope: wanted, agentId: undefined }
    : wanted;
  const identity = await identifyAndCountKey(req, context);
  setActor({ kind: "api_key", id: identity.id });
  checkScope(identity, scope);
  checkAccessedAgent(identity, agentId);
  return identity;
}

/** Throws 403 unless a key has `scope`. */
export function checkScope({ scopes }: Pick<ApiKeyIdentity, "scopes">, scope: Scope): void {
  if (hasScope(scopes, scope)) return;
  throw new ApiError("insufficient_scope", `the API key needs the scope ${scope}`, {
    details: { scope },
  });
}

/**
 * Throws 403 for a read-only key, such as one for reports: it must not spend money or read chats. Throws as
 * `checkAccessedAgent` for one that is restricted to agents.
 */
export function requireChatAccess(identity: ApiKeyIdentity, agentId: AccessedAgent): void {
  if (canChat(identity.scopes)) return checkAccessedAgent(identity, agentId);
  throw new ApiError(
    "insufficient_scope",
    "the API key may only read: to chat, follow or cancel it needs a scope that does not end in :read",
  );
}
