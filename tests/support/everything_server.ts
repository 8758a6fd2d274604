// The package has no declarations.
// @ts-types="./everything_server_types.d.ts"
import { createServer } from "@modelcontextprotocol/server-everything/dist/server/index.js";
// @ts-types="@modelcontextprotocol/sdk/server/webStandardStreamableHttp"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { SeenRequest } from "./egress_server.ts";

/**
 * The reference server of the Model Context Protocol, with its rules for sessions. Its own HTTP server
 * would be a process; only that part is replaced.
 */
export class EverythingServer implements AsyncDisposable {
  readonly #sessions = new Map<string, { transport: Transport; close: () => Promise<void> }>();

  async answer({ method, url, headers, body }: SeenRequest): Promise<Response> {
    const request = new Request(url, { method, headers, ...body === "" ? {} : { body } });
    const id = headers.get("mcp-session-id");
    if (id === null) return await (await this.#open()).handleRequest(request);
    const session = this.#sessions.get(id);
    if (session !== undefined) return await session.transport.handleRequest(request);
    const error = { code: -32000, message: "Bad Request: No valid session ID provided" };
    return Response.json({ jsonrpc: "2.0", error }, { status: 400 });
  }

  /** Forgets all sessions, as a restart does. */
  async restart(): Promise<void> {
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(open.map(({ close }) => close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.restart();
  }

  async #open(): Promise<Transport> {
    const { server, cleanup } = createServer();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        const close = async () => {
          await server.close();
          cleanup(id);
        };
        this.#sessions.set(id, { transport, close });
      },
    });
    await server.connect(transport);
    return transport;
  }
}

type Transport = WebStandardStreamableHTTPServerTransport;
