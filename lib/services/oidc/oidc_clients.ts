import { LRUCache } from "lru-cache";
import type { Egress } from "../../egress/egress.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type {
  OidcConnection,
  OidcConnectionStore,
} from "../../store/oidc/oidc_connection_store.ts";
import type { OidcClient } from "./oidc_client.ts";
import type { OidcConfig } from "./oidc_config.ts";

/** Clients of tenants that a process keeps, with what they have read from their providers. */
const MAX_CACHED = 200;

export interface OidcClientsDeps {
  /** Of the installation's provider. */
  installation: OidcClient | undefined;
  connections: OidcConnectionStore;
  egress: Pick<Egress, "fetch">;
  runtime: Pick<Runtime, "now">;
  /** The service's public address. */
  baseUrl: string;
}

/** A tenant's connection, and this service as its client. */
export interface ConnectedClient extends OidcConnection {
  config: OidcConfig;
  client: OidcClient;
}

/** This service as a client of providers: that of the installation, and one for each tenant that has one. */
export class OidcClients {
  readonly #deps: OidcClientsDeps;
  readonly #cache = new LRUCache<string, ConnectedClient>({ max: MAX_CACHED });

  constructor(deps: OidcClientsDeps) {
    this.#deps = deps;
  }

  /** The client of a sign-in: of this tenant's provider, or without one of the installation's. */
  async find(tenant: string | undefined): Promise<OidcClient | undefined> {
    if (tenant === undefined) return this.#deps.installation;
    return (await this.ofTenant(tenant))?.client;
  }

  async ofTenant(tenant: string): Promise<ConnectedClient | undefined> {
    const connection = await this.#deps.connections.read(tenant);
    if (connection === undefined || connection.isUnreadable) {
      this.#cache.delete(tenant);
      return undefined;
    }
    const known = this.#cache.get(tenant);
    if (known?.version === connection.version) return known;
    // The libraries load only where they are needed: every process waits for what it loads.
    const { OidcClient } = await import("./oidc_client.ts");
    const { baseUrl, egress, runtime } = this.#deps;
    const config: OidcConfig = { ...connection.settings, tenant };
    const redirectUri = new URL(callbackPath(tenant), baseUrl).href;
    const client = new OidcClient({ config, egress, runtime, tenant, redirectUri });
    const connected = { ...connection, config, client };
    this.#cache.set(tenant, connected);
    return connected;
  }
}

/**
 * Each connection has an address of its own, so that a provider cannot pass off another's answer as its own
 * (RFC 9207, section 4: mix-up).
 */
export function callbackPath(tenant: string | undefined): string {
  return tenant === undefined ? "/sign-in/oidc/callback" : `/sign-in/oidc/callback/${tenant}`;
}
