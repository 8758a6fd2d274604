import { mcpServerHref } from "@/lib/dashboard/mcp/mcp_server_href.ts";
import type { ToolReport } from "@/lib/dashboard/agents/tool_problem.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The state of the connection to an MCP server that asks for OAuth, and where to change it. */
export function McpConnectionLink(
  { url, servers, agentId }: {
    url: unknown;
    servers: NonNullable<ToolReport["servers"]>;
    agentId: string | undefined;
  },
) {
  const href = typeof url === "string" ? URL.parse(url)?.href.split("#", 1)[0] : undefined;
  if (href === undefined || agentId === undefined) {
    return <p class="help">{t("Save the agent to connect servers that ask for OAuth.")}</p>;
  }
  const state = Object.hasOwn(servers, href) ? servers[href] : undefined;
  return (
    <div class="field">
      <span>{t("OAuth connection")}</span>
      <p class="form-actions">
        {state === "connected"
          ? <span class="badge badge-active">{t("Connected")}</span>
          : state === "attention"
          ? <span class="badge badge-failing">{t("Needs attention")}</span>
          : <span class="badge">{t("Not connected")}</span>}
        <a class="button button-small" href={mcpServerHref(href, agentId)}>
          {state === undefined ? t("Connect") : t("View connection")}
        </a>
      </p>
    </div>
  );
}
