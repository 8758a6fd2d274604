import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { KeyedLock } from "../../../platform/keyed_lock.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import { isToolHeader } from "../../../egress/outgoing_headers.ts";
import type { ToolDefinition } from "../../../schemas/tool_definition.ts";
import type { ToolCallContext, ToolContext } from "../callable_tool.ts";
import { renderHeaders } from "../http/render_request.ts";
import { createLookup } from "../template.ts";
import type { Redactor } from "../redactor.ts";
import { ToolError } from "../tool_error.ts";
import { resolveSecrets } from "../tool_secrets.ts";
import { mcpFetch } from "./mcp_fetch.ts";
import { type ListedTool, looseResultSchema, parseToolList } from "./mcp_messages.ts";
import { McpQuestions } from "./mcp_questions.ts";
import { isSessionNotFound, toToolError, toToolOutput } from "./mcp_results.ts";

export type McpTool = Extract<ToolDefinition, { type: "mcp" }>;

const CONNECT_TIMEOUT_MS = 10_000;
/** Without the time in which the visitor is asked, after which it starts again. */
const CALL_TIMEOUT_MS = 30_000;
const MAX_LIST_PAGES = 8;
/** MCP has no field for it; servers ignore metadata that they do not know. */
const KEY_META = "agent-chat-service/idempotency-key";
/** For a stream that ends before its response. */
const RECONNECTION_OPTIONS = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

type Request = Parameters<Client["request"]>[0];

type Session = { client: Client; transport: StreamableHTTPClientTransport; isOpen: boolean };

interface RequestOptions {
  signal: AbortSignal;
  /** Milliseconds. */
  timeout: number;
}

export interface McpConnectionOptions {
  context: ToolContext;
  runtime: Pick<Runtime, "sleep">;
}

/** A connection to one MCP server for one run, over Streamable HTTP. Throws errors of the tool. */
export class McpConnection {
  readonly #context: ToolContext;
  readonly #questions: McpQuestions | undefined;
  /** One request after the other: failures and questions of the server belong to the only one. */
  readonly #requests = new KeyedLock();
  readonly #newSession: () => Session;
  #session: Session;
  #isSessionLost = false;
  readonly #failureListeners = new Set<(error: unknown) => void>();

  private constructor(
    url: URL,
    { context, runtime, headers }: McpConnectionOptions & { headers: Record<string, string> },
  ) {
    this.#context = context;
    const { askVisitor, redactor } = context;
    this.#questions = askVisitor && new McpQuestions({ askVisitor, redactor, runtime });
    const onFailure = (error: unknown) => {
      for (const listener of this.#failureListeners) listener(error);
    };
    const options: StreamableHTTPClientTransportOptions = {
      fetch: mcpFetch(url, { context, usesTokens: !hasAuthorization(headers), onFailure }),
      requestInit: { headers },
      reconnectionOptions: RECONNECTION_OPTIONS,
    };
    this.#newSession = () => ({
      client: newClient(this.#questions),
      transport: new StreamableHTTPClientTransport(url, options),
      isOpen: false,
    });
    this.#session = this.#newSession();
  }

  /** Resolves the secrets in the headers; does not connect yet. */
  static async create(tool: McpTool, options: McpConnectionOptions): Promise<McpConnection> {
    const { context } = options;
    const url = URL.parse(tool.url);
    if (url === null) throw new ToolError("tool_unreachable", "the tool's URL is not valid");
    const secrets = await resolveSecrets(tool.headers, url, context);
    const rendered = renderHeaders(tool.headers ?? {}, createLookup({}, { ...context, secrets }));
    const allowed = Object.entries(rendered).filter(([name]) => isToolHeader(name));
    return new McpConnection(url, { ...options, headers: Object.fromEntries(allowed) });
  }

  get redactor(): Redactor {
    return this.#context.redactor;
  }

  /** Performs the handshake. Call `close` at the end even if this fails. */
  async connect(signal: AbortSignal): Promise<void> {
    const session = this.#session;
    const { client, transport } = session;
    await this.#abortable((options) => client.connect(transport as never, options), {
      signal,
      timeout: CONNECT_TIMEOUT_MS,
    });
    session.isOpen = true;
  }

  /** Lists the server's tools. Unlike the library's own method, this does not compile output schemas. */
  async list(signal: AbortSignal): Promise<ListedTool[]> {
    const tools: ListedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_LIST_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const request = { method: "tools/list", params } as const;
      const result = await this.#request(request, { signal, timeout: CONNECT_TIMEOUT_MS });
      tools.push(...parseToolList(result.tools));
      if (typeof result.nextCursor !== "string") break;
      cursor = result.nextCursor;
    }
    return tools;
  }

  async call(
    name: string,
    args: Record<string, unknown>,
    { signal, id }: Pick<ToolCallContext, "signal" | "id">,
  ): Promise<{ content: unknown }> {
    const meta = id === undefined ? {} : { _meta: { [KEY_META]: id } };
    const request = { method: "tools/call", params: { name, arguments: args, ...meta } } as const;
    const result = await this.#request(request, { signal, timeout: CALL_TIMEOUT_MS });
    return toToolOutput(result, this.#context.redactor);
  }

  /** Sends any other request, such as `resources/read`. */
  async request(
    method: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const request = { method, params } as Request;
    return await this.#request(request, { signal, timeout: CONNECT_TIMEOUT_MS });
  }

  /** Whether the server said in the handshake that it has this. */
  has(capability: "resources" | "prompts"): boolean {
    return this.#session.client.getServerCapabilities()?.[capability] !== undefined;
  }

  /** Ends the session and closes all connections. Never throws. */
  async close(): Promise<void> {
    const { client, transport } = this.#session;
    await transport.terminateSession().catch(() => {});
    await client.close().catch(() => {});
  }

  /**
   * Sends one request. A server that restarted no longer knows the session and rejects the request
   * before it does anything, so the request is repeated in a new session.
   */
  #request(request: Request, options: RequestOptions): Promise<Record<string, unknown>> {
    return this.#requests.run("request", () => this.#requestAlone(request, options));
  }

  async #requestAlone(
    request: Request,
    options: RequestOptions,
  ): Promise<Record<string, unknown>> {
    if (this.#isSessionLost) await this.#reconnect(options.signal);
    const attempt = () => {
      const send = (abortable: RequestOptions) =>
        this.#session.client.request(request, looseResultSchema, abortable);
      const questions = request.method === "tools/call" ? this.#questions : undefined;
      return this.#abortable(questions ? (one) => questions.during(send, one) : send, options);
    };
    try {
      return await attempt();
    } catch (error) {
      const hadSession = this.#session.transport.sessionId !== undefined;
      if (!hadSession || !isSessionNotFound(error)) throw error;
      this.#isSessionLost = true;
      await this.#reconnect(options.signal);
      return await attempt();
    }
  }

  async #reconnect(signal: AbortSignal): Promise<void> {
    // The server still knows a session whose handshake failed late, but not one that it lost.
    if (this.#session.isOpen) await this.#session.client.close().catch(() => {});
    else await this.close();
    this.#session = this.#newSession();
    await this.connect(signal);
    this.#isSessionLost = false;
  }

  /**
   * Runs one request and ends it as soon as the connection fails. The library keeps listening to a
   * signal after its request and would then send a cancellation, so each request gets its own signal.
   */
  async #abortable<T>(
    work: (options: RequestOptions) => Promise<T>,
    { signal, timeout }: RequestOptions,
  ): Promise<T> {
    const controller = new AbortController();
    const aborted = Promise.withResolvers<never>();
    // The library does not abort what it sends before and after the request itself.
    controller.signal.addEventListener("abort", () => aborted.reject(controller.signal.reason), {
      once: true,
    });
    const onAbort = () => controller.abort("the run was stopped");
    let failure: unknown;
    const onFailure = (error: unknown) => {
      failure ??= error;
      controller.abort("the connection broke");
    };
    this.#failureListeners.add(onFailure);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([work({ signal: controller.signal, timeout }), aborted.promise]);
    } catch (error) {
      throw toToolError(failure ?? error, { redactor: this.#context.redactor, signal });
    } finally {
      this.#failureListeners.delete(onFailure);
      signal.removeEventListener("abort", onAbort);
    }
  }
}

/** The client can answer questions of the server only if the run can wait for its visitor. */
function newClient(questions: McpQuestions | undefined): Client {
  const info = { name: "agent-chat-service", version: "1" };
  const client = new Client(info, { capabilities: questions ? { elicitation: {} } : {} });
  questions?.answerFrom(client);
  return client;
}

function hasAuthorization(headers: Record<string, string>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
