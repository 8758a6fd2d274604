import { page } from "fresh";
import { McpAddressForm } from "@/components/mcp/McpAddressForm.tsx";
import { McpServerPage } from "@/components/mcp/McpServerPage.tsx";
import { actOnMcpServer } from "@/lib/dashboard/mcp/act_on_mcp_server.ts";
import { loadMcpServerPage, type McpServerPageData } from "@/lib/dashboard/mcp/mcp_server_page.ts";
import { define } from "@/utils.ts";

/** The tenant's connection to the MCP server in `?url=`; without one, a form that asks for it. */
export const handler = define.handlers({
  async GET(ctx) {
    const data = await loadMcpServerPage(ctx);
    const status = data === undefined && ctx.url.searchParams.has("url") ? 400 : 200;
    return page<McpServerPageData | undefined>(data, { status });
  },

  async POST(ctx) {
    return await actOnMcpServer(ctx);
  },
});

export default define.page<typeof handler>(({ data, url }) =>
  data === undefined
    ? <McpAddressForm typed={url.searchParams.get("url") ?? ""} />
    : <McpServerPage data={data} url={url} />
);
