import type { Egress } from "../../egress/egress.ts";
import type { OidcClient } from "../../services/oidc/oidc_client.ts";
import { callbackPath, OidcClients } from "../../services/oidc/oidc_clients.ts";
import { OidcConnections } from "../../services/oidc/oidc_connections.ts";
import { OidcSessions } from "../../services/oidc/oidc_sessions.ts";
import { OidcSignIn } from "../../services/oidc/oidc_sign_in.ts";
import type { SignInService } from "../../services/sign_in_service.ts";
import { OidcAttemptStore } from "../../store/oidc/oidc_attempt_store.ts";
import {
  OIDC_CONNECTIONS_PURPOSE,
  OidcConnectionStore,
} from "../../store/oidc/oidc_connection_store.ts";
import { OidcIdentityStore } from "../../store/oidc/oidc_identity_store.ts";
import { OIDC_SESSIONS_PURPOSE, OidcSessionStore } from "../../store/oidc/oidc_session_store.ts";
import { MembershipStore } from "../../store/users/membership_store.ts";
import { UserStore } from "../../store/users/user_store.ts";
import type { CoreDeps } from "./core_deps.ts";

export interface OpenedOidc {
  sessions: OidcSessions;
  connectionsWith: (signIn: SignInService) => OidcConnections;
}

/** Sign-in with OpenID Connect. */
export async function openOidc(
  { config, kv, log, runtime, sealer, tenants }: CoreDeps,
  { egress, baseUrl, ...options }: { egress: Egress; baseUrl: string; tenant: string },
): Promise<OpenedOidc> {
  const { oidc } = config;
  const tenant = oidc?.tenant ?? options.tenant;
  const redirectUri = new URL(callbackPath(undefined), baseUrl).href;
  // The libraries load only where they are needed: every process waits for what it loads.
  let client: OidcClient | undefined;
  if (oidc !== undefined) {
    const { OidcClient } = await import("../../services/oidc/oidc_client.ts");
    client = new OidcClient({ config: oidc, egress, runtime, tenant, redirectUri });
  }
  const sessions = new OidcSessionStore(kv, { runtime, sealer: sealer(OIDC_SESSIONS_PURPOSE) });
  const connections = new OidcConnectionStore(kv, {
    ...{ runtime, sealer: sealer(OIDC_CONNECTIONS_PURPOSE) },
  });
  const clients = new OidcClients({ installation: client, connections, egress, runtime, baseUrl });
  const memberships = new MembershipStore(kv, runtime);
  return {
    sessions: new OidcSessions({ clients, store: sessions, memberships, runtime, log }),
    connectionsWith: (signIn) => {
      const deps = {
        ...{ sessions, signIn, runtime, log, memberships, tenants },
        attempts: new OidcAttemptStore(kv, runtime),
        identities: new OidcIdentityStore(kv, runtime),
        users: new UserStore(kv, runtime),
      };
      const installation = oidc && client &&
        new OidcSignIn({ ...deps, config: oidc, client, tenant });
      return new OidcConnections({ ...deps, clients, connections, installation });
    },
  };
}
