import { isMcpServerId } from "@/lib/store/credentials/mcp_authorization_store.ts";
import { define } from "@/utils.ts";

/** This service as an OAuth client of one MCP server: authorization servers read it by its address. */
export const handler = define.handlers({
  GET(ctx) {
    const id = ctx.params.server ?? "";
    if (!isMcpServerId(id)) return new Response(null, { status: 404 });
    const { mcpAuthorizations } = ctx.state.service;
    return Response.json(mcpAuthorizations.clientDocument(id), {
      headers: { "cache-control": "public, max-age=300, no-transform" },
    });
  },
});
