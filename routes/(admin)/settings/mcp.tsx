import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { McpServerPage } from "@/components/mcp/McpServerPage.tsx";
import { actOnMcpServer } from "@/lib/dashboard/mcp/act_on_mcp_server.ts";
import { loadMcpServerPage, type McpServerPageData } from "@/lib/dashboard/mcp/mcp_server_page.ts";
import { define } from "@/utils.ts";

/** The tenant's connection to the MCP server in `?url=`. */
export const handler = define.handlers({
  async GET(ctx) {
    const data = await loadMcpServerPage(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<McpServerPageData>(data);
  },

  async POST(ctx) {
    return await actOnMcpServer(ctx);
  },
});

export default define.page<typeof handler>(({ data, url }) => (
  <McpServerPage data={data} url={url} />
));
