// @ts-types="@modelcontextprotocol/sdk/client/auth"
import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from "@modelcontextprotocol/sdk/client/auth.js";
// @ts-types="@modelcontextprotocol/sdk/shared/auth-utils"
import { checkResourceAllowed } from "@modelcontextprotocol/sdk/shared/auth-utils.js";
import { isJsonObject, tryParseJson } from "../../platform/json.ts";
import { EgressError } from "../../egress/egress_error.ts";
import { McpConnectError } from "./mcp_connect_error.ts";
import { hostOf, type OAuthFetch } from "./oauth_fetch.ts";
import { type DiscoveredServer, discoveredServerSchema } from "./server_metadata.ts";

const MAX_AUTH_METHODS = 16;
const PROTOCOL_VERSION = "2025-06-18";

/** The `fetch` that reaches only these hosts. */
export type FetchFrom = (hosts: readonly string[]) => OAuthFetch;

/**
 * Finds out how to connect to an MCP server: its challenge and metadata (RFC 9728), then the metadata of
 * its authorization server (RFC 8414 or OpenID Connect). Sends no secret. Throws `McpConnectError`.
 */
export async function discoverAuthorization(
  url: string,
  fetchFrom: FetchFrom,
): Promise<DiscoveredServer> {
  try {
    const challenge = await readChallenge(url, fetchFrom);
    const resource = await readResource(url, { challenge, fetchFrom });
    const issuer = resource?.authorization_servers?.[0] ?? new URL("/", url).href;
    const { metadata, more } = await readMetadata(issuer, fetchFrom);
    return toServer(metadata, {
      more,
      issuer,
      resource: resource?.resource ?? url,
      scope: challenge.scope ?? resource?.scopes_supported?.join(" "),
    });
  } catch (error) {
    if (error instanceof McpConnectError) throw error;
    const problem = error instanceof EgressError ? "unreachable" : "invalid_metadata";
    throw new McpConnectError(problem, { cause: error });
  }
}

type Challenge = ReturnType<typeof extractWWWAuthenticateParams>;

/** The server's answer to a handshake without a token. */
async function readChallenge(url: string, fetchFrom: FetchFrom): Promise<Challenge> {
  const clientInfo = { name: "agent-chat-service", version: "1" };
  const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo };
  const response = await fetchFrom([hostOf(url)])(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  });
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

/**
 * The server's own metadata; `undefined` for a server of the first version of the specification, which
 * is its own authorization server.
 */
async function readResource(
  url: string,
  { challenge, fetchFrom }: { challenge: Challenge; fetchFrom: FetchFrom },
): Promise<Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>> | undefined> {
  const { resourceMetadataUrl } = challenge;
  if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== new URL(url).origin) {
    throw new McpConnectError("resource_mismatch");
  }
  const options = {
    protocolVersion: PROTOCOL_VERSION,
    ...resourceMetadataUrl && { resourceMetadataUrl },
  };
  const fetchFn = fetchFrom([hostOf(url)]);
  const metadata = await discoverOAuthProtectedResourceMetadata(url, options, fetchFn)
    .catch((error) => {
      if (error instanceof EgressError || resourceMetadataUrl !== undefined) throw error;
      return undefined;
    });
  if (metadata === undefined) return undefined;
  const names = { requestedResource: url, configuredResource: metadata.resource };
  if (!checkResourceAllowed(names)) throw new McpConnectError("resource_mismatch");
  return metadata;
}

/** The library's schema of OpenID Connect drops fields of OAuth, which `more` still has. */
async function readMetadata(
  issuer: string,
  fetchFrom: FetchFrom,
): Promise<{ metadata: Metadata; more: Record<string, unknown> }> {
  const fetch = fetchFrom([hostOf(issuer)]);
  let more: unknown;
  const metadata = await discoverAuthorizationServerMetadata(issuer, {
    fetchFn: async (url, init) => {
      const response = await fetch(url, init);
      more = response.ok ? tryParseJson(await response.clone().text()) : undefined;
      return response;
    },
    protocolVersion: PROTOCOL_VERSION,
  });
  if (metadata === undefined) throw new McpConnectError("not_protected");
  return { metadata, more: isJsonObject(more) ? more : {} };
}

type Metadata = NonNullable<Awaited<ReturnType<typeof discoverAuthorizationServerMetadata>>>;

function toServer(
  metadata: Metadata,
  { more, issuer, resource, scope }: {
    more: Record<string, unknown>;
    issuer: string;
    resource: string;
    scope: string | undefined;
  },
): DiscoveredServer {
  // Otherwise any server could speak for another one: RFC 8414, section 3.3.
  if (!isSameIssuer(metadata.issuer, issuer)) throw new McpConnectError("issuer_mismatch");
  if (!metadata.code_challenge_methods_supported?.includes("S256")) {
    throw new McpConnectError("no_pkce");
  }
  const { scopes_supported: scopes } = metadata;
  const revocationEndpoint = more.revocation_endpoint;
  return discoveredServerSchema.parse({
    issuer: metadata.issuer,
    resource,
    scope: withOfflineAccess(scope, scopes),
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    registrationEndpoint: metadata.registration_endpoint,
    revocationEndpoint: typeof revocationEndpoint === "string" ? revocationEndpoint : undefined,
    authMethods: (metadata.token_endpoint_auth_methods_supported ?? []).slice(0, MAX_AUTH_METHODS),
    readsClientDocuments: more.client_id_metadata_document_supported === true,
    sendsIssuer: more.authorization_response_iss_parameter_supported === true,
  });
}

/** `https://a.example` and `https://a.example/` are the same issuer; some servers write both. */
function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

/** Servers of OpenID Connect issue a refresh token only for this scope. */
function withOfflineAccess(
  scope: string | undefined,
  supported: readonly string[] | undefined,
): string | undefined {
  if (!supported?.includes("offline_access")) return scope || undefined;
  const scopes = new Set((scope ?? "").split(" ").filter((one) => one !== ""));
  return [...scopes.add("offline_access")].join(" ");
}
