import type { SeenRequest } from "./egress_server.ts";

/** A request to an MCP server; `rpc` is the JSON-RPC method, or else the HTTP method. */
export interface McpAsked extends SeenRequest {
  id: number | undefined;
  rpc: string;
}

/**
 * An MCP server in plain JSON-RPC with one tool, `ask`, that answers "fine", and a new session for each
 * handshake. `other` comes first and answers what it likes otherwise, or nothing.
 */
export function rawMcp(
  other: (asked: McpAsked) => Response | Promise<Response> | undefined = () => undefined,
): (seen: SeenRequest) => Response | Promise<Response> {
  let sessions = 0;
  return (seen) => {
    const { id, method: rpc = seen.method } = JSON.parse(seen.body || "{}");
    const own = other({ ...seen, id, rpc });
    if (own !== undefined) return own;
    if (id === undefined) return new Response(null, { status: seen.method === "POST" ? 202 : 200 });
    const headers: HeadersInit = rpc === "initialize"
      ? { "mcp-session-id": `session-${++sessions}` }
      : {};
    return Response.json({ jsonrpc: "2.0", id, result: RESULTS[rpc] }, { headers });
  };
}

const RESULTS: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "raw", version: "1" },
  },
  "tools/list": { tools: [{ name: "ask", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "fine" }] },
};

/** The methods of the received requests with their sessions. */
export function rpcsOf(seen: readonly SeenRequest[]): string[] {
  return seen.map(({ method, body, headers }) => {
    const { method: rpc = method } = JSON.parse(body || "{}");
    return [rpc, headers.get("mcp-session-id") ?? "-"].join(" ");
  });
}
