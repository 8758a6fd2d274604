import type { Egress } from "../../egress/egress.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  isMcpServerId,
  type McpAuthorizationHead,
  type McpAuthorizationStore,
  type McpGrant,
  mcpServerId,
} from "../../store/credentials/mcp_authorization_store.ts";
import { retryUntilCommitted } from "../../store/values/record.ts";
import type { DiscoveredServer } from "./server_metadata.ts";
import { type ClientMetadata, clientMetadata } from "./client_metadata.ts";
import { confirmedHosts } from "./confirmed_hosts.ts";
import { McpConnectError } from "./mcp_connect_error.ts";
import type { OAuthClient } from "./oauth_client.ts";
import { hostOf, oauthFetch } from "./oauth_fetch.ts";
import {
  type McpConnectUser,
  type PendingConnection,
  PendingConnections,
  updateSnapshot,
} from "./pending_connections.ts";
import { issueTokens, McpTokenRequestError, toGrant, toHead } from "./token_facts.ts";

const MAX_SERVERS = 100;

/** How to connect, as a user chose. */
export interface McpConnectInput {
  grantType: "authorization_code" | "client_credentials";
  /** Registered by hand; without one, this service registers itself. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Separated by spaces; those that the server names by default. */
  scope?: string | undefined;
}

/** What a user confirms before anything is sent to the authorization server. */
export interface McpConfirmation {
  /** One-time. */
  id: string;
  server: DiscoveredServer;
  grantType: McpConnectInput["grantType"];
  /** Every host that receives something, in the order in which it does. */
  hosts: string[];
}

type ClientDocument = ClientMetadata & { client_id: string; client_uri: string };

export interface McpAuthorizationsDeps {
  store: McpAuthorizationStore;
  egress: Pick<Egress, "fetch">;
  runtime: Pick<Runtime, "now" | "randomBytes">;
  /** `PUBLIC_URL`, or the listening address. */
  baseUrl: string;
}

/**
 * Connects a tenant to MCP servers that demand OAuth 2.1. In two steps: `check` reads what the servers
 * say, sending nothing, and `confirm` uses exactly that, so that a user decides which hosts a
 * client secret, a code and tokens are sent to. Both steps belong to one sign-in and happen once.
 */
export class McpAuthorizations {
  readonly #deps: McpAuthorizationsDeps;
  readonly #pending: PendingConnections;

  constructor(deps: McpAuthorizationsDeps) {
    this.#deps = deps;
    this.#pending = new PendingConnections(deps);
  }

  list(tenant: string): Promise<McpAuthorizationHead[]> {
    return this.#deps.store.list(tenant);
  }

  /** `url` is normalized, as everywhere here. */
  async find(tenant: string, url: string): Promise<McpAuthorizationHead | undefined> {
    const { record } = await this.#deps.store.read(tenant, url);
    return record?.state === "new" ? undefined : record;
  }

  /**
   * Where authorization servers send the user back to. Every MCP server has its own address, so that the
   * code of one authorization server cannot be passed off as that of another (RFC 9700, section 4.4).
   */
  async redirectUri(url: string): Promise<string> {
    return new URL(`/mcp/callback/${await mcpServerId(url)}`, this.#deps.baseUrl).href;
  }

  /**
   * This service as a client of one server, for authorization servers that read its address; `undefined`
   * for an id that no server has.
   */
  clientDocument(serverId: string): ClientDocument | undefined {
    return isMcpServerId(serverId) ? this.#documentOf(serverId) : undefined;
  }

  #documentOf(serverId: string): ClientDocument {
    const { baseUrl } = this.#deps;
    return {
      client_id: new URL(`/mcp/client/${serverId}`, baseUrl).href,
      client_uri: baseUrl,
      ...clientMetadata(new URL(`/mcp/callback/${serverId}`, baseUrl).href),
    };
  }

  async check(
    user: McpConnectUser,
    { url, ...input }: McpConnectInput & { url: string },
  ): Promise<McpConfirmation> {
    const { tenant } = user;
    await this.#requireRoom(tenant, url);
    const { grantType, clientId, clientSecret, scope } = input;
    const { discoverAuthorization } = await import("./discover_authorization.ts");
    const found = await discoverAuthorization(url, this.#fetchFrom(tenant));
    const server = { ...found, ...scope !== undefined && { scope } };
    if (clientId === undefined) {
      if (grantType === "client_credentials") throw new McpConnectError("no_client");
      if (server.registrationEndpoint === undefined && !this.#isDocumented(server)) {
        throw new McpConnectError("no_registration");
      }
    }
    const client = clientId === undefined
      ? undefined
      : { client_id: clientId, ...clientSecret !== undefined && { client_secret: clientSecret } };
    const content = { server, grantType, ...client && { client } };
    const id = await this.#pending.begin(user, { url, content });
    return {
      id,
      server,
      grantType,
      hosts: confirmedHosts(content, { isDocumented: this.#isDocumented(server) }),
    };
  }

  /**
   * Registers this service if needed. Returns the address at which the user signs in; `undefined` if the
   * client connects as itself and already has.
   */
  async confirm(
    user: McpConnectUser,
    { url, id }: { url: string; id: string },
  ): Promise<string | undefined> {
    const { tenant } = user;
    const pending = await this.#pending.take(user, { serverId: await mcpServerId(url), id });
    if (pending.verifier !== undefined) throw new McpConnectError("restart");
    const oauth = await import("./oauth_client.ts");
    const { server, grantType } = pending;
    if (grantType === "client_credentials") {
      const grant = toGrant({ ...pending, client: pending.client! });
      await this.#connect(
        user,
        { url, pending, grant },
        (fetch) => oauth.requestTokens(grant, fetch),
      );
      return undefined;
    }
    const redirectUri = await this.redirectUri(url);
    const client = pending.client ?? await this.#newClient(tenant, { url, server });
    const state = this.#pending.newId();
    const request = { client, redirectUri, state };
    const { url: signInUrl, verifier } = await oauth.authorizationRequest(server, request);
    await this.#pending.begin(user, { url, id: state, content: { ...pending, client, verifier } });
    return signInUrl;
  }

  /** Finishes at the redirect URI. Returns the URL of the server that is connected now. */
  async finish(
    user: McpConnectUser,
    { serverId, state, code, error, iss }: {
      serverId: string;
      state: string;
      code: string | undefined;
      error: string | undefined;
      iss: string | undefined;
    },
  ): Promise<string> {
    const pending = await this.#pending.take(user, { serverId, id: state });
    const { server, client, verifier, url } = pending;
    if (client === undefined || verifier === undefined) throw new McpConnectError("restart");
    if (iss === undefined ? server.sendsIssuer : iss !== server.issuer) {
      throw new McpConnectError("issuer_mismatch");
    }
    if (error !== undefined || code === undefined) throw new McpConnectError("denied");
    const { exchangeCode } = await import("./oauth_client.ts");
    const grant = toGrant({ ...pending, client });
    const redirectUri = await this.redirectUri(url);
    await this.#connect(
      user,
      { url, pending, grant },
      (fetch) => exchangeCode(grant, { code, verifier, redirectUri, fetch }),
    );
    return url;
  }

  /** Deletes the tokens, and revokes them if the authorization server offers that. */
  async disconnect(tenant: string, url: string): Promise<void> {
    const { store } = this.#deps;
    const { grant } = await retryUntilCommitted(async () => {
      const snapshot = await store.read(tenant, url);
      if (snapshot.record === undefined) return { grant: undefined };
      // Tokens that cannot be read any more must not keep a connection from being deleted.
      const grant = await store.grantOf(snapshot).catch(() => undefined);
      const audit = { action: "disconnect", before: { issuer: snapshot.record.issuer } };
      return await store.delete(snapshot, audit) ? { grant } : undefined;
    }, { what: "mcp authorization" });
    if (grant?.revocationEndpoint === undefined) return;
    const { revokeTokens } = await import("./oauth_client.ts");
    const fetch = this.#fetchFrom(tenant)([hostOf(grant.revocationEndpoint)]);
    await revokeTokens(grant, fetch).catch(() => {});
  }

  async #requireRoom(tenant: string, url: string): Promise<void> {
    const known = await this.#deps.store.list(tenant);
    if (known.length >= MAX_SERVERS && !known.some((one) => one.url === url)) {
      throw new McpConnectError("too_many");
    }
  }

  /** Only a public address can be read. */
  #isDocumented({ readsClientDocuments }: DiscoveredServer): boolean {
    return readsClientDocuments && this.#deps.baseUrl.startsWith("https:");
  }

  async #newClient(
    tenant: string,
    { url, server }: { url: string; server: DiscoveredServer },
  ): Promise<OAuthClient> {
    if (this.#isDocumented(server)) {
      const { client_id, token_endpoint_auth_method } = this.#documentOf(await mcpServerId(url));
      return { client_id, token_endpoint_auth_method };
    }
    const { registerAsClient } = await import("./oauth_client.ts");
    const fetch = this.#fetchFrom(tenant)([hostOf(server.registrationEndpoint ?? server.issuer)]);
    const options = { redirectUri: await this.redirectUri(url), fetch };
    return await registerAsClient(server, options).catch((cause) => {
      throw new McpConnectError("registration_rejected", { cause });
    });
  }

  #fetchFrom(tenant: string) {
    return (hosts: readonly string[]) => oauthFetch({ egress: this.#deps.egress, tenant, hosts });
  }

  async #connect(
    { tenant, email }: McpConnectUser,
    { url, pending, grant }: { url: string; pending: PendingConnection; grant: McpGrant },
    request: (
      fetch: ReturnType<typeof oauthFetch>,
    ) => Promise<Parameters<typeof toHead>[0]["tokens"]>,
  ): Promise<void> {
    // Again, because many connections may have begun before.
    await this.#requireRoom(tenant, url);
    const fetch = this.#fetchFrom(tenant)([hostOf(grant.tokenEndpoint)]);
    const tokens = await issueTokens(() => request(fetch)).catch((error) => {
      if (!(error instanceof McpTokenRequestError)) throw error;
      const isClient = error.failure === "client_rejected";
      throw new McpConnectError(isClient ? "client_rejected" : "code_rejected", { cause: error });
    });
    const { server: { issuer }, grantType } = pending;
    const now = this.#deps.runtime.now();
    const facts = {
      url,
      issuer,
      grantType,
      scope: grant.scope,
      connectedBy: email,
      connectedAt: now,
    };
    const { head, grant: complete } = toHead({ facts, grant, tokens, now });
    const audit = { action: "connect", after: { issuer, scope: head.scope, grantType } };
    const serverId = await mcpServerId(url);
    await updateSnapshot(this.#deps.store, { tenant, serverId }, () => {
      return { head, grant: complete, renewal: null, audit };
    });
  }
}
