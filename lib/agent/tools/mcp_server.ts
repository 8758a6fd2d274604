import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isToolHeader } from "../../egress/outgoing_headers.ts";
import type { ToolDefinition } from "../../wire/tool_definition.ts";
import type { ToolWorld } from "./http_tool.ts";
import { isLostSession, mcpFailure } from "./mcp_failure.ts";
import { mcpFetch } from "./mcp_fetch.ts";
import { type ListedTool, listedTools, looseResultSchema } from "./mcp_list.ts";
import { mcpOutput } from "./mcp_output.ts";
import { renderHeaders } from "./render_request.ts";
import { lookupIn } from "./template.ts";
import { ToolFailure } from "./tool_failure.ts";
import { secretsFor } from "./tool_secrets.ts";

export type McpTool = Extract<ToolDefinition, { type: "mcp" }>;

const CONNECT_MS = 10_000;
const CALL_MS = 30_000;
/** Pages of a list that are read. */
const MAX_PAGES = 8;
/** Of a stream that ended before its answer. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

type Request = Parameters<Client["request"]>[0];

interface Session {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** Whether hands have been shaken on it. */
  isOpen: boolean;
}

interface Asking {
  signal: AbortSignal;
  /** Milliseconds. */
  timeout: number;
}

/** One MCP server during one run, over Streamable HTTP. Throws what a tool's failure is. */
export class McpServer {
  #world: ToolWorld;
  #newSession: () => Session;
  #session: Session;
  #isLost = false;
  /** Told of a connection that breaks: one for each exchange under way. */
  #breaks = new Set<(error: unknown) => void>();

  private constructor(url: URL, parts: { world: ToolWorld; headers: Record<string, string> }) {
    this.#world = parts.world;
    const options: StreamableHTTPClientTransportOptions = {
      fetch: mcpFetch(parts.world, (error) => this.#breaks.forEach((tell) => tell(error))),
      requestInit: { headers: parts.headers },
      reconnectionOptions: RECONNECTION,
    };
    this.#newSession = () => ({
      client: new Client({ name: "agent-chat-service", version: "1" }, { capabilities: {} }),
      transport: new StreamableHTTPClientTransport(url, options),
      isOpen: false,
    });
    this.#session = this.#newSession();
  }

  /** The server of a tool, not connected to yet, with the secrets for its headers. */
  static async of(tool: McpTool, world: ToolWorld): Promise<McpServer> {
    const url = URL.parse(tool.url);
    if (url === null) throw new ToolFailure("tool_unreachable", "the tool's URL is not valid");
    const { secret: find, redactor, agentId } = world;
    const secrets = await secretsFor(tool.headers, { url, find, redactor, agentId });
    const headers = renderHeaders(tool.headers ?? {}, lookupIn({}, secrets));
    const own = Object.fromEntries(Object.entries(headers).filter(([name]) => isToolHeader(name)));
    return new McpServer(url, { world, headers: own });
  }

  /** Shakes hands. Whether it fails or not, `close` is to be called at the end. */
  async connect(signal: AbortSignal): Promise<void> {
    const session = this.#session;
    const { client, transport } = session;
    await this.#exchange(
      (options) => client.connect(transport as never, options),
      { signal, timeout: CONNECT_MS },
    );
    session.isOpen = true;
  }

  /** What the server offers, in its order. Its output schemas are not compiled: nobody needs them. */
  async list(signal: AbortSignal): Promise<ListedTool[]> {
    const tools: ListedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const request = { method: "tools/list", params } as const;
      const listed = await this.#ask(request, { signal, timeout: CONNECT_MS });
      tools.push(...listedTools(listed.tools));
      if (typeof listed.nextCursor !== "string") break;
      cursor = listed.nextCursor;
    }
    return tools;
  }

  /** Calls one of its tools; answers `{ content }`. */
  async call(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<{ content: unknown }> {
    const request = { method: "tools/call", params: { name, arguments: args } } as const;
    const result = await this.#ask(request, { signal, timeout: CALL_MS });
    return mcpOutput(result, (text) => this.#world.redactor.text(text));
  }

  /** Ends the session, if the server keeps one, and closes every connection. Never throws. */
  async close(): Promise<void> {
    const { client, transport } = this.#session;
    await transport.terminateSession().catch(() => {});
    await client.close().catch(() => {});
  }

  /**
   * One request. A server may forget a session whenever it likes, as one does that was started anew:
   * it then refuses what it is asked, so it has done nothing yet, and is asked again in a new one.
   */
  async #ask(request: Request, asking: Asking): Promise<Record<string, unknown>> {
    if (this.#isLost) await this.#renew(asking.signal);
    const attempt = () =>
      this.#exchange(
        (options) => this.#session.client.request(request, looseResultSchema, options),
        asking,
      );
    try {
      return await attempt();
    } catch (error) {
      const hadSession = this.#session.transport.sessionId !== undefined;
      if (!hadSession || !isLostSession(error)) throw error;
      this.#isLost = true;
      await this.#renew(asking.signal);
      return await attempt();
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    // The server knows one whose handshake failed at its end, and nothing of one that it forgot.
    if (this.#session.isOpen) await this.#session.client.close().catch(() => {});
    else await this.close();
    this.#session = this.#newSession();
    await this.connect(signal);
    this.#isLost = false;
  }

  /**
   * One exchange; a connection that breaks ends it, instead of leaving it to wait. The library goes
   * on listening to a signal when its request is over, and would tell the server of a cancellation
   * then, so each request has a signal of its own.
   */
  async #exchange<T>(
    work: (options: Asking) => Promise<T>,
    { signal, timeout }: Asking,
  ): Promise<T> {
    const stop = new AbortController();
    const stopped = Promise.withResolvers<never>();
    // The library ends a request by its signal, but not what it has to say before or after it.
    stop.signal.addEventListener("abort", () => stopped.reject(stop.signal.reason), { once: true });
    const onAbort = () => stop.abort("the run was stopped");
    let failure: unknown;
    const onBreak = (error: unknown) => {
      failure ??= error;
      stop.abort("the connection broke");
    };
    this.#breaks.add(onBreak);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([work({ signal: stop.signal, timeout }), stopped.promise]);
    } catch (error) {
      const clean = (text: string) => this.#world.redactor.text(text);
      throw mcpFailure(failure ?? error, { clean, signal });
    } finally {
      this.#breaks.delete(onBreak);
      signal.removeEventListener("abort", onAbort);
    }
  }
}
