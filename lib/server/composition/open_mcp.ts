import type { McpTokens } from "../../agent/tools/callable_tool.ts";
import type { Egress } from "../../egress/egress.ts";
import { McpAccessTokens } from "../../services/mcp/mcp_access_tokens.ts";
import { McpAuthorizations } from "../../services/mcp/mcp_authorizations.ts";
import {
  MCP_AUTHORIZATIONS_PURPOSE,
  McpAuthorizationStore,
  normalizeMcpUrl,
} from "../../store/credentials/mcp_authorization_store.ts";
import type { CoreDeps } from "./core_deps.ts";

/** Connections of tenants to MCP servers, for the dashboard and for runs. */
export function openMcp(
  { kv, runtime, sealer }: CoreDeps,
  { egress, baseUrl }: { egress: Egress; baseUrl: string },
): { mcpAuthorizations: McpAuthorizations; mcpTokens: (tenant: string) => McpTokens } {
  const store = new McpAuthorizationStore(kv, {
    runtime,
    sealer: sealer(MCP_AUTHORIZATIONS_PURPOSE),
  });
  const tokens = new McpAccessTokens({ store, egress, runtime });
  const urlOf = (server: URL) => normalizeMcpUrl(server.href)!;
  return {
    mcpAuthorizations: new McpAuthorizations({ store, egress, runtime, baseUrl }),
    mcpTokens: (tenant) => ({
      current: (server, signal) => tokens.current({ tenant, url: urlOf(server), signal }),
      renew: (server, token) => tokens.renew({ tenant, url: urlOf(server), ...token }),
      reject: (server, token) => tokens.reject({ tenant, url: urlOf(server), ...token }),
    }),
  };
}
