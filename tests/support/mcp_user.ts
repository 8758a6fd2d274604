import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult, Progress, Tool } from "@modelcontextprotocol/sdk/types";

/** The official SDK's client, connected to a service's `/v1/mcp` with an API key. */
export class McpUser {
  readonly client: Client;
  readonly #transport: StreamableHTTPClientTransport;

  private constructor(client: Client, transport: StreamableHTTPClientTransport) {
    this.client = client;
    this.#transport = transport;
  }

  static async connect(url: string, key: string): Promise<McpUser> {
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL("/v1/mcp", url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    });
    // deno-lint-ignore no-explicit-any -- the SDK's types contradict exactOptionalPropertyTypes
    await client.connect(transport as any);
    return new McpUser(client, transport);
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  /** Every tool, page by page. */
  async list(): Promise<Tool[]> {
    const tools: Tool[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.client.listTools(cursor === undefined ? {} : { cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  }

  async ask(
    name: string,
    args: Record<string, unknown>,
    options: { onprogress?: (progress: Progress) => void; signal?: AbortSignal } = {},
  ): Promise<CallToolResult> {
    const call = { name, arguments: args };
    return await this.client.callTool(call, undefined, options) as CallToolResult;
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
