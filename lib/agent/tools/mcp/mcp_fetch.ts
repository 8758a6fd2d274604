import type { EgressResponse } from "../../../egress/egress.ts";
import { EgressError } from "../../../egress/egress_error.ts";
import type { ToolContext } from "../callable_tool.ts";
import { ToolError } from "../tool_error.ts";
import { parseRequest, type PendingRequest } from "./mcp_messages.ts";
import { createResponseParser, toResponse } from "./mcp_response.ts";
import type { McpResponseParser } from "./mcp_response_parser.ts";

const RESPONSE_TIMEOUT_MS = 30_000;
/** A call in which the visitor may be asked: the server's time twice, and theirs. */
const ASKING_TIMEOUT_MS = 125_000;
/** Ending a session is optional. */
const DELETE_TIMEOUT_MS = 2_000;
/** Limit for the response to a call, and for all pages of a list of 64 tools with their schemas. */
const MAX_RESPONSE_BYTES = 1_048_576;
/** The library validates all of the response to `initialize`, however invalid it is. */
const MAX_INITIALIZE_BYTES = 32_768;
/** Limit for requests that a server causes by requests of its own, redirects and resumed streams. */
const MAX_SERVER_REQUESTS = 256;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The `fetch` for the MCP library. All requests pass egress, and all responses are parsed here first.
 * Redirects are not followed: the library repeats the request if one leads to the same origin, and
 * egress checks it again. `onFailure` also receives failures in the middle of a stream, for which the
 * library would wait until it times out.
 */
export function mcpFetch(
  server: URL,
  { context, usesTokens, onFailure }: {
    context: ToolContext;
    /** The tool does not set an `Authorization` header. */
    usesTokens: boolean;
    onFailure: (error: unknown) => void;
  },
): Fetch {
  const exchange = new McpExchange(server, { context, usesTokens });
  return async (url, init = {}) => {
    try {
      return await exchange.fetch(new URL(url), { ...init, onFailure });
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };
}

interface FetchOptions extends RequestInit {
  onFailure: (error: unknown) => void;
}

const NO_SIGNAL = new AbortController().signal;

interface SendOptions {
  method: string;
  headers: Headers;
  init: RequestInit;
  request: PendingRequest | undefined;
}

class McpExchange {
  readonly #server: URL;
  readonly #context: ToolContext;
  readonly #usesTokens: boolean;
  #lastToken: string | undefined;
  #serverRequests = 0;
  #lastRequestId: PendingRequest["id"] | undefined;
  #remainingListBytes = MAX_RESPONSE_BYTES;
  /** Requests are sequential, so only the latest response can be resumed. */
  #latest: McpResponseParser | undefined;

  constructor(
    server: URL,
    { context, usesTokens }: { context: ToolContext; usesTokens: boolean },
  ) {
    this.#server = server;
    this.#context = context;
    this.#usesTokens = usesTokens;
  }

  async fetch(url: URL, { onFailure, ...init }: FetchOptions): Promise<Response> {
    const headers = new Headers(init.headers);
    const method = init.method ?? "GET";
    const resumed = method === "GET" ? this.#findResumed(headers) : undefined;
    // No stream stays open between calls: a run listens only while it waits for a response.
    if (method === "GET" && resumed === undefined) return new Response(null, { status: 405 });
    const request = resumed?.request ?? parseRequest(init.body);
    const answer = await this.#send(url, { method, headers, init, request });
    const onBytes = (bytes: number) => {
      if (request?.method === "tools/list") this.#remainingListBytes -= bytes;
    };
    const isResumed = resumed !== undefined;
    const parser = request && createResponseParser(answer, { request, isResumed });
    this.#latest = parser ?? this.#latest;
    return toResponse(answer, { onFailure, onBytes, parser });
  }

  /** The library also resumes a stream whose response was an error, while the next call waits. */
  #findResumed(headers: Headers): McpResponseParser | undefined {
    const id = headers.get("last-event-id");
    const latest = this.#latest;
    return id !== null && latest?.lastEventId === id && !latest.isComplete ? latest : undefined;
  }

  async #send(url: URL, { method, headers, init, request }: SendOptions): Promise<EgressResponse> {
    if (!this.#isClientRequest(method, request) && ++this.#serverRequests > MAX_SERVER_REQUESTS) {
      throw new EgressError("tool_unreachable", "the server asks for too many requests");
    }
    // If a handshake fails, the library aborts all requests, including the DELETE that ends the session.
    const signal = (method === "DELETE" ? undefined : init.signal) ?? NO_SIGNAL;
    const open = (token: string | undefined) =>
      this.#context.egress.open({
        method,
        url,
        headers: {
          ...Object.fromEntries(headers),
          ...token !== undefined && { authorization: `Bearer ${token}` },
        },
        body: typeof init.body === "string" ? new TextEncoder().encode(init.body) : undefined,
        tenant: this.#context.tenant,
        allowedDomains: this.#context.allowedDomains,
        timeoutMs: this.#timeoutMs(method, request),
        maxResponseBytes: this.#maxBytes(request),
        signal,
        maxRedirects: 0,
        onCall: this.#context.recordCall,
      });
    if (!this.#usesTokens) return await open(undefined);
    // Ending a session is not worth a new token.
    if (method === "DELETE") return await open(this.#lastToken);
    return await this.#sendWithToken(open, { url, signal });
  }

  /**
   * A server that rejects a token has not executed the request, so it is repeated once with a newer
   * token. Nothing but the server's own origin ever gets one.
   */
  async #sendWithToken(
    open: (token: string | undefined) => Promise<EgressResponse>,
    { url, signal }: { url: URL; signal: AbortSignal },
  ): Promise<EgressResponse> {
    const { mcpTokens } = this.#context;
    const isServer = url.origin === this.#server.origin;
    const token = isServer ? await mcpTokens?.current(this.#server, signal) : undefined;
    const answer = await open(this.#remember(token));
    if (answer.status === 403 && asksForMoreScope(answer)) throw scopeError(answer);
    if (answer.status !== 401) return answer;
    answer.close();
    if (token === undefined || mcpTokens === undefined) throw unauthorizedError(this.#server);
    const newer = this.#remember(await mcpTokens.renew(this.#server, { rejected: token, signal }));
    const second = await open(newer);
    if (second.status !== 401) return second;
    second.close();
    return await mcpTokens.reject(this.#server, { rejected: newer, signal });
  }

  /** Also for the redactor: servers echo what they receive. */
  #remember<T extends string | undefined>(token: T): T {
    this.#lastToken = token;
    if (token !== undefined && !this.#context.redactor.containsSecret(token)) {
      this.#context.redactor.add(token);
    }
    return token;
  }

  #timeoutMs(method: string, request: PendingRequest | undefined): number {
    if (method === "DELETE") return DELETE_TIMEOUT_MS;
    const mayAsk = request?.method === "tools/call" && this.#context.askVisitor !== undefined;
    return mayAsk ? ASKING_TIMEOUT_MS : RESPONSE_TIMEOUT_MS;
  }

  #isClientRequest(method: string, request: PendingRequest | undefined): boolean {
    if (method !== "POST" || request === undefined) return method === "DELETE";
    // A repeated request was redirected by the server.
    const isNew = request.id !== this.#lastRequestId;
    this.#lastRequestId = request.id;
    return isNew;
  }

  #maxBytes(request: PendingRequest | undefined): number {
    if (request?.method === "initialize") return MAX_INITIALIZE_BYTES;
    return request?.method === "tools/list" ? this.#remainingListBytes : MAX_RESPONSE_BYTES;
  }
}

function unauthorizedError(server: URL): ToolError {
  const message = `${server.host} demands an authorization: connect it in the dashboard`;
  return new ToolError("tool_unauthorized", message);
}

function asksForMoreScope({ headers }: EgressResponse): boolean {
  return /\berror="?insufficient_scope\b/.test(headers["www-authenticate"] ?? "");
}

function scopeError(answer: EgressResponse): ToolError {
  answer.close();
  const message = "the connection lacks a permission for this: connect the server again";
  return new ToolError("tool_unauthorized", message);
}
