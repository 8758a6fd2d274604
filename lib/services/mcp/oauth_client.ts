// @ts-types="@modelcontextprotocol/sdk/client/auth"
import {
  exchangeAuthorization,
  fetchToken,
  refreshAuthorization,
  registerClient,
  selectClientAuthMethod,
  startAuthorization,
} from "@modelcontextprotocol/sdk/client/auth.js";
// @ts-types="@modelcontextprotocol/sdk/server/auth/errors"
import {
  InvalidClientError,
  InvalidGrantError,
  UnauthorizedClientError,
} from "@modelcontextprotocol/sdk/server/auth/errors.js";
import type { McpGrant } from "../../store/credentials/mcp_authorization_store.ts";
import { type DiscoveredServer, SCOPE } from "./server_metadata.ts";
import { clientMetadata } from "./client_metadata.ts";
import { McpConnectError } from "./mcp_connect_error.ts";
import type { OAuthFetch } from "./oauth_fetch.ts";

/** All that is sealed together has to fit into one value of the store, 64 KiB. */
const MAX_TOKEN_LENGTH = 8_192;
const MAX_CREDENTIAL_LENGTH = 2_048;
/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;
const MAX_LIFETIME_S = 366 * 86_400;

export type OAuthClient = McpGrant["client"];

/** Tokens as a server issued them. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken?: string;
  scope?: string;
  /** Seconds. */
  expiresIn?: number;
}

/** How a request for tokens failed: for good, or perhaps only now. */
export type TokenFailure = "revoked" | "client_rejected" | "temporary";

/** Registers this service as a client of an authorization server: RFC 7591. */
export async function registerAsClient(
  server: DiscoveredServer,
  { redirectUri, fetch }: { redirectUri: string; fetch: OAuthFetch },
): Promise<OAuthClient> {
  if (server.registrationEndpoint === undefined) throw new McpConnectError("no_registration");
  const isPublic = server.authMethods.length === 0 || server.authMethods.includes("none");
  const registered = await registerClient(server.issuer, {
    metadata: toMetadata(server) as never,
    clientMetadata: {
      ...clientMetadata(redirectUri, { authMethod: isPublic ? "none" : server.authMethods[0] }),
      ...server.scope !== undefined && { scope: server.scope },
    },
    fetchFn: fetch,
  });
  const { client_id, client_secret, token_endpoint_auth_method } = registered;
  if (client_id.length > MAX_CREDENTIAL_LENGTH || !TOKEN.test(client_id + (client_secret ?? ""))) {
    throw new McpConnectError("registration_rejected");
  }
  if ((client_secret ?? "").length > MAX_CREDENTIAL_LENGTH) {
    throw new McpConnectError("registration_rejected");
  }
  return {
    client_id,
    ...client_secret !== undefined && { client_secret },
    ...token_endpoint_auth_method !== undefined && { token_endpoint_auth_method },
  };
}

/** Where the user's browser goes, and the verifier of PKCE for the code that comes back. */
export async function authorizationRequest(
  server: DiscoveredServer,
  { client, redirectUri, state }: { client: OAuthClient; redirectUri: string; state: string },
): Promise<{ url: string; verifier: string }> {
  const { authorizationUrl, codeVerifier } = await startAuthorization(server.issuer, {
    metadata: toMetadata(server) as never,
    clientInformation: client,
    redirectUrl: redirectUri,
    state,
    resource: server.resource,
    ...server.scope !== undefined && { scope: server.scope },
  } as never);
  return { url: authorizationUrl.href, verifier: codeVerifier };
}

export async function exchangeCode(
  grant: McpGrant,
  { code, verifier, redirectUri, fetch }: {
    code: string;
    verifier: string;
    redirectUri: string;
    fetch: OAuthFetch;
  },
): Promise<IssuedTokens> {
  return toTokens(
    await exchangeAuthorization(grant.tokenEndpoint, {
      ...requestOptions(grant, fetch),
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri,
    } as never),
  );
}

/** Requests tokens without a person: with the refresh token, or as the client itself. */
export async function requestTokens(grant: McpGrant, fetch: OAuthFetch): Promise<IssuedTokens> {
  const options = requestOptions(grant, fetch);
  if (grant.refreshToken !== undefined) {
    const refreshToken = grant.refreshToken;
    return toTokens(
      await refreshAuthorization(grant.tokenEndpoint, { ...options, refreshToken } as never),
    );
  }
  const provider = {
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => grant.client,
    prepareTokenRequest: () =>
      new URLSearchParams({
        grant_type: "client_credentials",
        ...grant.scope !== undefined && { scope: grant.scope },
      }),
  };
  return toTokens(await fetchToken(provider as never, grant.tokenEndpoint, options as never));
}

/** RFC 7009, best effort: the tokens are deleted here in any case. */
export async function revokeTokens(grant: McpGrant, fetch: OAuthFetch): Promise<void> {
  const token = grant.refreshToken ?? grant.accessToken;
  if (grant.revocationEndpoint === undefined || token === undefined) return;
  const { client_id, client_secret = "" } = grant.client;
  const isBasic = selectClientAuthMethod(grant.client, grant.authMethods) === "client_secret_basic";
  const body = new URLSearchParams({ token, ...!isBasic && { client_id } });
  if (!isBasic && client_secret !== "") body.set("client_secret", client_secret);
  const response = await fetch(grant.revocationEndpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...isBasic && { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    },
    body,
  });
  await response.body?.cancel();
}

export function toTokenFailure(error: unknown): TokenFailure {
  if (error instanceof InvalidGrantError) return "revoked";
  const isClient = error instanceof InvalidClientError || error instanceof UnauthorizedClientError;
  return isClient ? "client_rejected" : "temporary";
}

function toMetadata(server: DiscoveredServer) {
  return {
    issuer: server.issuer,
    authorization_endpoint: server.authorizationEndpoint,
    token_endpoint: server.tokenEndpoint,
    registration_endpoint: server.registrationEndpoint,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
}

function requestOptions(
  { tokenEndpoint, authMethods, client, resource }: McpGrant,
  fetch: OAuthFetch,
) {
  return {
    metadata: {
      token_endpoint: tokenEndpoint,
      ...authMethods.length > 0 && { token_endpoint_auth_methods_supported: authMethods },
    },
    clientInformation: client,
    resource,
    fetchFn: fetch,
  };
}

type TokenResponse = Awaited<ReturnType<typeof refreshAuthorization>>;

/** Throws for tokens that cannot be sent as a bearer token. */
function toTokens(response: TokenResponse): IssuedTokens {
  const { access_token, refresh_token, token_type, expires_in, scope } = response;
  const isUsable = (token: string) => token.length <= MAX_TOKEN_LENGTH && TOKEN.test(token);
  if (token_type.toLowerCase() !== "bearer" || !isUsable(access_token)) {
    throw new McpConnectError("unusable_token");
  }
  if (refresh_token !== undefined && !isUsable(refresh_token)) {
    throw new McpConnectError("unusable_token");
  }
  return {
    accessToken: access_token,
    ...refresh_token !== undefined && { refreshToken: refresh_token },
    ...scope !== undefined && SCOPE.test(scope) && { scope: scope.slice(0, 2_000) },
    ...expires_in !== undefined && expires_in >= 1 &&
      { expiresIn: Math.min(Math.floor(expires_in), MAX_LIFETIME_S) },
  };
}
