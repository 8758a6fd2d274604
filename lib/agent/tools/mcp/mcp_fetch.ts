import type { EgressResponse } from "../../../egress/egress.ts";
import { EgressError } from "../../../egress/egress_error.ts";
import type { McpResponseParser } from "./mcp_response_parser.ts";
import type { ToolContext } from "../http/call_http_tool.ts";
import { parseRequest, type PendingRequest } from "./mcp_messages.ts";
import { createResponseParser, parsedResponse, relayResponse } from "./mcp_response.ts";

const RESPONSE_TIMEOUT_MS = 30_000;
/** Ending a session is a courtesy that nobody waits for. */
const DELETE_TIMEOUT_MS = 2_000;
/** One answer to a call; and a whole list, which is 64 tools with their schemas, on all its pages. */
const MAX_RESPONSE_BYTES = 1_048_576;
/** What a server says of itself: the library takes it apart with all that is wrong in it. */
const MAX_INITIALIZE_BYTES = 32_768;
/**
 * A server may ask questions of its own, end its streams to have them resumed and send a request
 * elsewhere, each of which makes a request: not without end.
 */
const MAX_SERVER_REQUESTS = 256;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The `fetch` the MCP library is given: everything it sends goes through the guard, and all that it
 * gets of an answer has been read here. No redirect is followed here; the library asks again by
 * itself where one leads to the same origin, with the headers of the tool, and the guard checks that
 * request as any other. `onFailure` hears of what breaks, also in the middle of a stream or at an end
 * without an answer, where the library would wait on.
 */
export function mcpFetch(world: ToolContext, onFailure: (error: unknown) => void): Fetch {
  const exchange = new McpExchange(world);
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

/** What one server was asked during one run. */
class McpExchange {
  #context: ToolContext;
  /** Requests that are the server's doing. */
  #serverRequests = 0;
  /** Of our own latest request. */
  #lastRequestId: PendingRequest["id"] | undefined;
  /** Bytes that all pages of its list may still have. */
  #remainingListBytes = MAX_RESPONSE_BYTES;
  /** The latest answer. Requests are made one after the other: no other stream is resumed. */
  #latest: McpResponseParser | undefined;

  constructor(world: ToolContext) {
    this.#context = world;
  }

  async fetch(url: URL, { onFailure, ...init }: FetchOptions): Promise<Response> {
    const headers = new Headers(init.headers);
    const method = init.method ?? "GET";
    const resumed = method === "GET" ? this.#findResumed(headers) : undefined;
    // No stream stands open beside the calls: a run only listens while it waits for an answer.
    if (method === "GET" && resumed === undefined) return new Response(null, { status: 405 });
    const asked = resumed?.request ?? parseRequest(init.body);
    const answer = await this.#send(url, { method, headers, init, asked });
    const seen = (bytes: number) => {
      if (asked?.method === "tools/list") this.#remainingListBytes -= bytes;
    };
    const isResumed = resumed !== undefined;
    const reader = asked && createResponseParser(answer, { asked, isResumed });
    if (reader === undefined) return relayResponse(answer, { onFailure, onBytes: seen });
    this.#latest = reader;
    return parsedResponse(answer, { onFailure, onBytes: seen, reader });
  }

  /** The library also goes on with a stream whose answer was an error, while the next call waits. */
  #findResumed(headers: Headers): McpResponseParser | undefined {
    const id = headers.get("last-event-id");
    const latest = this.#latest;
    return id !== null && latest?.lastEventId === id && !latest.answered ? latest : undefined;
  }

  async #send(
    url: URL,
    { method, headers, init, asked }: {
      method: string;
      headers: Headers;
      init: RequestInit;
      asked: PendingRequest | undefined;
    },
  ): Promise<EgressResponse> {
    if (!this.#isClientRequest(method, asked) && ++this.#serverRequests > MAX_SERVER_REQUESTS) {
      throw new EgressError("tool_unreachable", "the server asks for too many requests");
    }
    // The library stops all that it has under way when a handshake fails, its leave among it.
    const signal = method === "DELETE" ? undefined : init.signal;
    return await this.#context.egress.open({
      method,
      url,
      headers: Object.fromEntries(headers),
      body: typeof init.body === "string" ? new TextEncoder().encode(init.body) : undefined,
      tenant: this.#context.tenant,
      allowedDomains: this.#context.allowedDomains,
      timeoutMs: method === "DELETE" ? DELETE_TIMEOUT_MS : RESPONSE_TIMEOUT_MS,
      maxResponseBytes: this.#maxBytes(asked),
      signal: signal ?? new AbortController().signal,
      maxRedirects: 0,
      onCall: this.#context.recordCall,
    });
  }

  /** Calls are as many as the run makes, and leave is always taken. */
  #isClientRequest(method: string, asked: PendingRequest | undefined): boolean {
    if (method !== "POST" || asked === undefined) return method === "DELETE";
    // The same once more was sent elsewhere by the server.
    const isNew = asked.id !== this.#lastRequestId;
    this.#lastRequestId = asked.id;
    return isNew;
  }

  #maxBytes(asked: PendingRequest | undefined): number {
    if (asked?.method === "initialize") return MAX_INITIALIZE_BYTES;
    return asked?.method === "tools/list" ? this.#remainingListBytes : MAX_RESPONSE_BYTES;
  }
}
