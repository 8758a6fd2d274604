import { z } from "zod";
import { base64url, sha256 } from "../../platform/crypto/signer.ts";
import { UnsealError } from "../../platform/crypto/sealing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  isMcpServerId,
  type McpAuthorizationStore,
  mcpServerId,
  type McpSnapshot,
  type McpWrite,
} from "../../store/credentials/mcp_authorization_store.ts";
import { retryUntilCommitted } from "../../store/values/record.ts";
import { McpConnectError } from "./mcp_connect_error.ts";
import { discoveredServerSchema } from "./server_metadata.ts";

/** For reading the confirmation, and for signing in at another site. */
const PENDING_MS = 10 * 60_000;
const ONE_TIME_BYTES = 24;

/** The user who connects, and the cookie of the sign-in that has to finish what it began. */
export interface McpConnectUser {
  tenant: string;
  email: string;
  signInCookie: string;
}

const pendingSchema = z.object({
  server: discoveredServerSchema,
  grantType: z.enum(["authorization_code", "client_credentials"]),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }).optional(),
  /** Of PKCE; absent until the user has confirmed. */
  verifier: z.string().optional(),
});
export type PendingConnection = z.infer<typeof pendingSchema>;

/**
 * Connections between two steps, one for each server of a tenant. A step is found only with its one-time
 * id, by the sign-in that began it, within ten minutes, and once.
 */
export class PendingConnections {
  readonly #store: McpAuthorizationStore;
  readonly #runtime: Pick<Runtime, "now" | "randomBytes">;

  constructor(
    { store, runtime }: {
      store: McpAuthorizationStore;
      runtime: Pick<Runtime, "now" | "randomBytes">;
    },
  ) {
    this.#store = store;
    this.#runtime = runtime;
  }

  newId(): string {
    return base64url(this.#runtime.randomBytes(ONE_TIME_BYTES));
  }

  /** Stores a step in place of any other of this server, and returns its id. */
  async begin(
    { tenant, signInCookie }: McpConnectUser,
    { url, content, id = this.newId() }: { url: string; content: PendingConnection; id?: string },
  ): Promise<string> {
    const until = this.#runtime.now() + PENDING_MS;
    const [idHash, signInHash] = await Promise.all([sha256(id), sha256(signInCookie)]);
    const pending = { idHash, signInHash, until, content };
    const serverId = await mcpServerId(url);
    await updateSnapshot(this.#store, { tenant, serverId }, ({ record }) => {
      return { head: record ?? { url, state: "new" }, pending };
    });
    return id;
  }

  /** The step with this id, which no other request gets. Throws `McpConnectError`. */
  async take(
    { tenant, signInCookie }: McpConnectUser,
    { serverId, id }: { serverId: string; id: string },
  ): Promise<PendingConnection & { url: string }> {
    if (!isMcpServerId(serverId)) throw new McpConnectError("restart");
    const [idHash, signInHash] = await Promise.all([sha256(id), sha256(signInCookie)]);
    return await retryUntilCommitted(async () => {
      const snapshot = await this.#store.readById(tenant, serverId);
      const pending = snapshot.record?.pending;
      const isValid = pending !== undefined && pending.idHash === idHash &&
        pending.signInHash === signInHash && pending.until > this.#runtime.now();
      if (!isValid) throw new McpConnectError("restart");
      const content = pendingSchema.parse(await this.#unsealed(snapshot));
      if (await this.#store.write(snapshot, { pending: null }) === undefined) return undefined;
      return { ...content, url: snapshot.record!.url };
    }, { what: "mcp authorization" });
  }

  /** After a change of the encryption key, the user starts again. */
  async #unsealed(snapshot: McpSnapshot): Promise<unknown> {
    try {
      return await this.#store.pendingOf(snapshot);
    } catch (error) {
      if (error instanceof UnsealError) throw new McpConnectError("restart", { cause: error });
      throw error;
    }
  }
}

/** Changes the record of a server; retried if another request changed it in between. */
export async function updateSnapshot(
  store: McpAuthorizationStore,
  { tenant, serverId }: { tenant: string; serverId: string },
  change: (snapshot: McpSnapshot) => McpWrite,
): Promise<void> {
  await retryUntilCommitted(async () => {
    const snapshot = await store.readById(tenant, serverId);
    return await store.write(snapshot, change(snapshot));
  }, { what: "mcp authorization" });
}
