import type {
  McpAuthorizationHead,
  McpGrant,
} from "../../store/credentials/mcp_authorization_store.ts";
import type { IssuedTokens, OAuthClient, TokenFailure } from "./oauth_client.ts";
import type { PendingConnection } from "./pending_connections.ts";

/** A token is renewed this long before it expires, or after three quarters of a shorter life. */
const RENEW_BEFORE_MS = 60_000;
const MIN_LIFE_LEFT = 1 / 4;

/** The authorization server issued no tokens. Never holds what it wrote. */
export class McpTokenRequestError extends Error {
  override name = "McpTokenRequestError";
  readonly failure: TokenFailure;

  constructor(failure: TokenFailure, cause: unknown) {
    super(`no tokens: ${failure}`, { cause });
    this.failure = failure;
  }
}

/** Throws `McpTokenRequestError` for whatever goes wrong. */
export async function issueTokens(request: () => Promise<IssuedTokens>): Promise<IssuedTokens> {
  try {
    return await request();
  } catch (error) {
    const { toTokenFailure } = await import("./oauth_client.ts");
    throw new McpTokenRequestError(toTokenFailure(error), error);
  }
}

/** What is stored of new tokens: in the open, and sealed. */
export function toHead(
  { facts, grant, tokens, now }: {
    facts: Omit<
      McpAuthorizationHead,
      "state" | "problem" | "expiresAt" | "renewAt" | "isRenewable" | "retryAt"
    >;
    grant: McpGrant;
    tokens: IssuedTokens;
    now: number;
  },
): { head: McpAuthorizationHead; grant: McpGrant } {
  const isClientItself = facts.grantType === "client_credentials";
  const { accessToken, expiresIn, scope = grant.scope } = tokens;
  const lifeMs = expiresIn === undefined ? undefined : expiresIn * 1_000;
  const refreshToken = isClientItself ? undefined : tokens.refreshToken;
  return {
    head: {
      ...facts,
      scope,
      state: "connected",
      problem: undefined,
      retryAt: undefined,
      expiresAt: lifeMs && now + lifeMs,
      renewAt: lifeMs && now + lifeMs - Math.min(RENEW_BEFORE_MS, lifeMs * MIN_LIFE_LEFT),
      isRenewable: isClientItself || refreshToken !== undefined,
    },
    grant: { ...grant, accessToken, refreshToken },
  };
}

/** A grant without tokens yet: where they may be requested, as whom, and for what. */
export function toGrant({ server, client }: PendingConnection & { client: OAuthClient }): McpGrant {
  return {
    tokenEndpoint: server.tokenEndpoint,
    ...server.revocationEndpoint !== undefined && { revocationEndpoint: server.revocationEndpoint },
    authMethods: server.authMethods,
    client,
    resource: server.resource,
    ...server.scope !== undefined && { scope: server.scope },
  };
}
