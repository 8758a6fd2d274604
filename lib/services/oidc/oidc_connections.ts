import type { OidcSettings } from "../../schemas/oidc_settings.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type {
  OidcConnection,
  OidcConnectionStore,
} from "../../store/oidc/oidc_connection_store.ts";
import type { SignedInUser } from "../signed_in_user.ts";
import type { OidcClients } from "./oidc_clients.ts";
import type { OidcProblem } from "./oidc_error.ts";
import { OidcSignIn, type OidcSignInDeps, type OidcTested } from "./oidc_sign_in.ts";

export interface OidcConnectionsDeps
  extends Omit<OidcSignInDeps, "config" | "client" | "tenant" | "connection"> {
  clients: OidcClients;
  connections: OidcConnectionStore;
  runtime: Pick<Runtime, "now" | "uuid" | "randomBytes">;
  /** Sign-in at the installation's provider; `undefined` if none is configured. */
  installation: OidcSignIn | undefined;
}

/** The providers at which people sign in: the installation's, and those of tenants. */
export class OidcConnections {
  readonly #deps: OidcConnectionsDeps;

  constructor(deps: OidcConnectionsDeps) {
    this.#deps = deps;
  }

  /** Sign-in at a tenant's tested provider, or without a tenant at the installation's. */
  async find(tenant: string | undefined): Promise<OidcSignIn | undefined> {
    if (tenant === undefined) return this.#deps.installation;
    const connected = await this.#deps.clients.ofTenant(tenant);
    return connected?.test?.role === undefined ? undefined : await this.#signIn(tenant);
  }

  /** The provider that a user can link, or sign in at again: that of their tenant comes first. */
  async ofUser(
    user: Pick<SignedInUser, "tenant" | "id" | "operator">,
  ): Promise<OidcSignIn | undefined> {
    // An owner decides what the tenant's provider says, and must not decide about other tenants.
    const isOthers = user.operator || await this.#deps.memberships.hasAny(user);
    return (isOthers ? undefined : await this.find(user.tenant)) ?? this.#deps.installation;
  }

  /** Also of a connection that was not tested, or not since it was changed: for tests, and to end sign-ins. */
  async findUntested(tenant: string): Promise<OidcSignIn | undefined> {
    return await this.#signIn(tenant);
  }

  /** A tenant's connection. */
  read(tenant: string): Promise<OidcConnection | undefined> {
    return this.#deps.connections.read(tenant);
  }

  /** Sets a tenant's connection; an earlier one ends with its sign-ins. Test it before people use it. */
  set(tenant: string, settings: OidcSettings): Promise<void> {
    return this.#deps.connections.set(tenant, settings);
  }

  /** Removes a tenant's connection: the sign-ins that began there end at the next request. */
  delete(tenant: string): Promise<boolean> {
    return this.#deps.connections.delete(tenant);
  }

  /**
   * Records a test sign-in. Returns `restart` if the connection was changed since the test began, and
   * `not_allowed` if the person would be rejected, which leaves a connection in use that has worked for
   * somebody else.
   */
  async recordTest(
    tenant: string,
    { version, email, role }: OidcTested,
  ): Promise<OidcProblem | undefined> {
    const test = { at: this.#deps.runtime.now(), email, ...role !== undefined && { role } };
    if (!await this.#deps.connections.recordTest(tenant, version, test)) return "restart";
    return role === undefined ? "not_allowed" : undefined;
  }

  async #signIn(tenant: string): Promise<OidcSignIn | undefined> {
    const { clients, connections: _connections, installation: _installation, ...deps } = this.#deps;
    const connected = await clients.ofTenant(tenant);
    if (connected === undefined) return undefined;
    const { config, client } = connected;
    return new OidcSignIn({ ...deps, config, client, tenant, connection: tenant });
  }
}
