/** Sign-in with OpenID Connect: a part of `keys`, under the same rules. */
export const OIDC_KEYS = {
  /** A tenant's connection to its own provider; the client's secret is sealed. */
  oidcConnection: (tenant: string) => ["oidc_connections", tenant],
  allOidcConnections: () => ["oidc_connections"],
  /** A sign-in in progress, under the SHA-256 of its `state`. */
  oidcAttempt: (stateHash: string) => ["oidc_attempts", stateHash],
  /** The user of a person at a provider, under a hash of `iss` and `sub`, and of the tenant whose provider it is. */
  oidcIdentity: (identity: string) => ["oidc_identities", identity],
  /** Value `{ v, identity }`: the person at the provider who is this user. */
  oidcIdentityByUser: (
    tenant: string,
    userId: string,
  ) => ["oidc_identities_by_user", tenant, userId],
  /** What a sign-in got from its provider, tokens sealed, under the SHA-256 of its cookie. */
  oidcSession: (cookieHash: string) => ["oidc_sessions", cookieHash],
  allOidcSessions: () => ["oidc_sessions"],
  /** Value `{ tenant }`. `name` is a hash of `iss`, and `sub` or `sid`. */
  oidcSessionByName: (
    name: string,
    cookieHash: string,
  ) => ["oidc_sessions_by_name", name, cookieHash],
  oidcSessionsByName: (name: string) => ["oidc_sessions_by_name", name],
  /** A logout token that was accepted, under a hash of `iss` and `jti`: `{ v, exp }`. */
  oidcLogoutToken: (token: string) => ["oidc_logout_tokens", token],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
