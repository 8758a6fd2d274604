// @ts-types="@modelcontextprotocol/sdk/server/mcp"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
// @ts-types="@modelcontextprotocol/sdk/server/webStandardStreamableHttp"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { SeenRequest } from "./egress_server.ts";

export interface McpEndpointOptions {
  /** Adds the server's tools. */
  tools: (server: McpServer) => void;
  /** Responds with JSON instead of a stream. */
  json?: boolean;
  /** Keeps a session from call to call. */
  session?: boolean;
}

/** An MCP server of the official library as a request handler. */
export function mcpEndpoint(
  options: McpEndpointOptions,
): (seen: SeenRequest) => Promise<Response> {
  const open = async () => {
    const server = new McpServer({ name: "test", version: "1" });
    options.tools(server);
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: options.json ?? false,
      ...(options.session ? { sessionIdGenerator: () => "session-1" } : {}),
    });
    await server.connect(transport);
    return transport;
  };
  let kept: ReturnType<typeof open> | undefined;
  return async ({ method, url, headers, body }) => {
    // Without sessions, each request gets a new server.
    const transport = await (options.session ? kept ??= open() : open());
    const request = new Request(url, { method, headers, ...(body === "" ? {} : { body }) });
    return await transport.handleRequest(request);
  };
}
