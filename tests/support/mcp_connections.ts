import { Sealer } from "@/lib/platform/crypto/sealing.ts";
import { McpAccessTokens } from "@/lib/services/mcp/mcp_access_tokens.ts";
import { McpAuthorizations, type McpConnectInput } from "@/lib/services/mcp/mcp_authorizations.ts";
import type { McpConnectUser } from "@/lib/services/mcp/pending_connections.ts";
import {
  MCP_AUTHORIZATIONS_PURPOSE,
  McpAuthorizationStore,
  mcpServerId,
} from "@/lib/store/credentials/mcp_authorization_store.ts";
import type { EgressServer } from "./egress_server.ts";
import { TEST_ENCRYPTION_KEY } from "./encryption_keys.ts";
import { FakeRuntime, fakeUuid } from "./fake_runtime.ts";
import { MockAuthorizationServer, protectedMcp } from "./mock_authorization_server.ts";
import { rawMcp } from "./raw_mcp.ts";
import type { SeenRequest } from "./egress_server.ts";

export const MCP_URL = "https://tools.example.com/mcp";
export const TENANT = fakeUuid(1);
export const ADMIN: McpConnectUser = {
  tenant: TENANT,
  email: "admin@example.com",
  signInCookie: "cookie-of-the-admin",
};

/** The answers of an MCP server and its authorization server at their own hosts. */
export function bothServers(
  authorizations: MockAuthorizationServer,
  options: Partial<Parameters<typeof protectedMcp>[1]> = {},
): (seen: SeenRequest) => Promise<Response> {
  const mcp = protectedMcp(authorizations, { url: MCP_URL, inner: rawMcp(), ...options });
  return async (seen) => {
    const own = await authorizations.answer(seen);
    if (own !== undefined) return own;
    if (seen.url.startsWith("https://tools.example.com/")) return await mcp(seen);
    return new Response("not here", { status: 404 });
  };
}

/** A process that connects tenants to MCP servers. */
export function mcpProcess(
  kv: Deno.Kv,
  { server, runtime = new FakeRuntime(), keys = [TEST_ENCRYPTION_KEY] }: {
    server: EgressServer;
    runtime?: FakeRuntime;
    keys?: string[];
  },
) {
  const sealer = new Sealer(keys, {
    purpose: MCP_AUTHORIZATIONS_PURPOSE,
    randomBytes: runtime.randomBytes,
  });
  const store = new McpAuthorizationStore(kv, { runtime, sealer });
  const deps = { store, egress: server.egress, runtime };
  const authorizations = new McpAuthorizations({ ...deps, baseUrl: "https://chat.example.com" });
  return { store, runtime, authorizations, tokens: new McpAccessTokens(deps) };
}

/** Connects as a user does, up to the redirect back to this service. */
export async function authorize(
  { authorizations }: { authorizations: McpAuthorizations },
  mock: MockAuthorizationServer,
  { input = {}, user = ADMIN }: { input?: Partial<McpConnectInput>; user?: McpConnectUser } = {},
): Promise<CallbackParams> {
  const grantType = "authorization_code" as const;
  const { id } = await authorizations.check(user, { url: MCP_URL, grantType, ...input });
  const signInUrl = await authorizations.confirm(user, { url: MCP_URL, id });
  return await callbackParams(mock.authorize(signInUrl!));
}

export type CallbackParams = Parameters<McpAuthorizations["finish"]>[1];

export async function callbackParams(href: string, url = MCP_URL): Promise<CallbackParams> {
  const { searchParams, pathname } = new URL(href);
  const serverId = await mcpServerId(url);
  if (pathname !== `/mcp/callback/${serverId}`) throw new Error(`a wrong redirect: ${href}`);
  return {
    serverId,
    state: searchParams.get("state") ?? "",
    code: searchParams.get("code") ?? undefined,
    error: searchParams.get("error") ?? undefined,
    iss: searchParams.get("iss") ?? undefined,
  };
}
