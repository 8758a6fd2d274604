import { operations } from "../operation.ts";

export const MCP_OPERATIONS = operations({ tag: "MCP", rateLimited: true }, {
  "POST /v1/mcp": {
    id: "callMcp",
    summary: "Send a message of the Model Context Protocol",
    description:
      "For MCP clients, such as editors and other agents, over Streamable HTTP: use a client of the " +
      "protocol rather than this operation. The tools are `ask_agent`, `search_knowledge` and one " +
      "`ask_…` for each agent. The scopes of the key decide which of them there are. A question is " +
      "the same run as `POST /v1/chat/stream`, with the same limits.\n\n" +
      "Any API key may connect; a session token may not. Bodies hold one JSON-RPC message, never a " +
      "batch. The response to a question is an event stream for a client that accepts one. There is " +
      "no stream to `GET` and no session to `DELETE`. An error of HTTP has the envelope of all errors; " +
      "a body that is not JSON-RPC has the members of a JSON-RPC error too. Requests with the " +
      "`Origin` of another site are rejected.",
    auth: "key",
    body: { schema: "McpMessage", example: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
    responses: [
      {
        status: 200,
        description: "The JSON-RPC response to a request, or a stream that ends with it.",
        content: [{ type: "application/json" }, { type: "text/event-stream" }],
      },
      { status: 202, description: "A notification is accepted." },
    ],
    errors: ["origin_not_allowed", "not_found", "plan_limit_exceeded"],
  },
});
