import { define } from "@/utils.ts";

/** This service as an OAuth client of one MCP server: authorization servers read it by its address. */
export const handler = define.handlers({
  GET(ctx) {
    const { mcpAuthorizations } = ctx.state.service;
    const document = mcpAuthorizations.clientDocument(ctx.params.server ?? "");
    if (document === undefined) return new Response(null, { status: 404 });
    return Response.json(document, {
      headers: { "cache-control": "public, max-age=300, no-transform" },
    });
  },
});
