import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isToolHeader } from "../../../egress/outgoing_headers.ts";
import type { ToolDefinition } from "../../../schemas/tool_definition.ts";
import type { ToolContext } from "../http/call_http_tool.ts";
import { isSessionNotFound, toToolError } from "./to_tool_error.ts";
import { mcpFetch } from "./mcp_fetch.ts";
import { type ListedTool, looseResultSchema, parseToolList } from "./mcp_messages.ts";
import { toToolOutput } from "./to_tool_output.ts";
import { renderHeaders } from "../http/render_request.ts";
import { createLookup } from "../template.ts";
import { ToolError } from "../tool_error.ts";
import { resolveSecrets } from "../tool_secrets.ts";

export type McpTool = Extract<ToolDefinition, { type: "mcp" }>;

const CONNECT_TIMEOUT_MS = 10_000;
const CALL_TIMEOUT_MS = 30_000;
/** Pages of a list that are read. */
const MAX_PAGES = 8;
/** Of a stream that ended before its answer. */
const RECONNECTION_OPTIONS = {
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

interface RequestOptions {
  signal: AbortSignal;
  /** Milliseconds. */
  timeout: number;
}

/** One MCP server during one run, over Streamable HTTP. Throws what a tool's failure is. */
export class McpConnection {
  #world: ToolContext;
  #newSession: () => Session;
  #session: Session;
  #isSessionLost = false;
  /** Told of a connection that breaks: one for each exchange under way. */
  #failureListeners = new Set<(error: unknown) => void>();

  private constructor(url: URL, parts: { context: ToolContext; headers: Record<string, string> }) {
    this.#world = parts.context;
    const options: StreamableHTTPClientTransportOptions = {
      fetch: mcpFetch(
        parts.context,
        (error) => this.#failureListeners.forEach((tell) => tell(error)),
      ),
      requestInit: { headers: parts.headers },
      reconnectionOptions: RECONNECTION_OPTIONS,
    };
    this.#newSession = () => ({
      client: new Client({ name: "agent-chat-service", version: "1" }, { capabilities: {} }),
      transport: new StreamableHTTPClientTransport(url, options),
      isOpen: false,
    });
    this.#session = this.#newSession();
  }

  /** The server of a tool, not connected to yet, with the secrets for its headers. */
  static async create(tool: McpTool, world: ToolContext): Promise<McpConnection> {
    const url = URL.parse(tool.url);
    if (url === null) throw new ToolError("tool_unreachable", "the tool's URL is not valid");
    const { findSecret: find, redactor, agentId } = world;
    const secrets = await resolveSecrets(tool.headers, { url, find, redactor, agentId });
    const headers = renderHeaders(tool.headers ?? {}, createLookup({}, secrets));
    const own = Object.fromEntries(Object.entries(headers).filter(([name]) => isToolHeader(name)));
    return new McpConnection(url, { context: world, headers: own });
  }

  /** Shakes hands. Whether it fails or not, `close` is to be called at the end. */
  async connect(signal: AbortSignal): Promise<void> {
    const session = this.#session;
    const { client, transport } = session;
    await this.#withTimeout(
      (options) => client.connect(transport as never, options),
      { signal, timeout: CONNECT_TIMEOUT_MS },
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
      const listed = await this.#request(request, { signal, timeout: CONNECT_TIMEOUT_MS });
      tools.push(...parseToolList(listed.tools));
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
    const result = await this.#request(request, { signal, timeout: CALL_TIMEOUT_MS });
    return toToolOutput(result, (text) => this.#world.redactor.redactText(text));
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
  async #request(request: Request, asking: RequestOptions): Promise<Record<string, unknown>> {
    if (this.#isSessionLost) await this.#reconnect(asking.signal);
    const attempt = () =>
      this.#withTimeout(
        (options) => this.#session.client.request(request, looseResultSchema, options),
        asking,
      );
    try {
      return await attempt();
    } catch (error) {
      const hadSession = this.#session.transport.sessionId !== undefined;
      if (!hadSession || !isSessionNotFound(error)) throw error;
      this.#isSessionLost = true;
      await this.#reconnect(asking.signal);
      return await attempt();
    }
  }

  async #reconnect(signal: AbortSignal): Promise<void> {
    // The server knows one whose handshake failed at its end, and nothing of one that it forgot.
    if (this.#session.isOpen) await this.#session.client.close().catch(() => {});
    else await this.close();
    this.#session = this.#newSession();
    await this.connect(signal);
    this.#isSessionLost = false;
  }

  /**
   * One exchange; a connection that breaks ends it, instead of leaving it to wait. The library goes
   * on listening to a signal when its request is over, and would tell the server of a cancellation
   * then, so each request has a signal of its own.
   */
  async #withTimeout<T>(
    work: (options: RequestOptions) => Promise<T>,
    { signal, timeout }: RequestOptions,
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
    this.#failureListeners.add(onBreak);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([work({ signal: stop.signal, timeout }), stopped.promise]);
    } catch (error) {
      const clean = (text: string) => this.#world.redactor.redactText(text);
      throw toToolError(failure ?? error, { clean, signal });
    } finally {
      this.#failureListeners.delete(onBreak);
      signal.removeEventListener("abort", onAbort);
    }
  }
}
