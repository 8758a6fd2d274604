import type { EgressAnswer } from "../../egress/egress.ts";
import { EgressError } from "../../egress/egress_error.ts";
import { AnswerWatch, type AskedRequest, askedRequest, noAnswer } from "./answer_watch.ts";
import type { ToolWorld } from "./http_tool.ts";

const ANSWER_MS = 30_000;
/** Ending a session is a courtesy that nobody waits for. */
const DELETE_MS = 2_000;
/** One answer to a call; and a whole list, which is 64 tools with their schemas, on all its pages. */
const MAX_BYTES = 1_048_576;
/** What a server says of itself: the library takes it apart with all that is wrong in it. */
const MAX_HELLO_BYTES = 32_768;
/** A server may ask questions of its own, each answered by a request: not without end. */
const MAX_REQUESTS = 256;
const WITHOUT_BODY = new Set([204, 205, 304]);

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The `fetch` the MCP library is given: everything it sends goes through the guard and follows no
 * redirect. `onFailure` hears of what breaks, also in the middle of a stream or at an end without an
 * answer, where the library would wait on.
 */
export function mcpFetch(world: ToolWorld, onFailure: (error: unknown) => void): Fetch {
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
  #world: ToolWorld;
  #requests = 0;
  /** Bytes that all pages of its list may still have. */
  #listBytes = MAX_BYTES;
  /** Asked one after the other: a stream that is resumed is for the latest. */
  #asked: AskedRequest | undefined;

  constructor(world: ToolWorld) {
    this.#world = world;
  }

  async fetch(url: URL, { onFailure, ...init }: FetchOptions): Promise<Response> {
    const headers = new Headers(init.headers);
    const method = init.method ?? "GET";
    const isResumed = method === "GET" && headers.has("last-event-id");
    // No stream stands open beside the calls: a run only listens while it waits for an answer.
    if (method === "GET" && !isResumed) return new Response(null, { status: 405 });
    const asked = askedRequest(init.body);
    this.#asked = asked ?? this.#asked;
    const answer = await this.#send(url, { method, headers, init, asked });
    const waiting = isResumed ? this.#asked : asked;
    return toResponse(answer, {
      onFailure,
      watch: waiting && watchOf(answer, { waiting, isResumed }),
      seen: (bytes) => {
        if (asked?.method === "tools/list") this.#listBytes -= bytes;
      },
    });
  }

  async #send(
    url: URL,
    { method, headers, init, asked }: {
      method: string;
      headers: Headers;
      init: RequestInit;
      asked: AskedRequest | undefined;
    },
  ): Promise<EgressAnswer> {
    if (++this.#requests > MAX_REQUESTS) {
      throw new EgressError("tool_unreachable", "the server asks for too many requests");
    }
    return await this.#world.egress.open({
      method,
      url,
      headers: Object.fromEntries(headers),
      body: typeof init.body === "string" ? new TextEncoder().encode(init.body) : undefined,
      allowedDomains: this.#world.allowedDomains,
      timeoutMs: method === "DELETE" ? DELETE_MS : ANSWER_MS,
      maxResponseBytes: this.#mostBytes(asked),
      signal: init.signal ?? new AbortController().signal,
      redirects: 0,
      record: this.#world.record,
    });
  }

  #mostBytes(asked: AskedRequest | undefined): number {
    if (asked?.method === "initialize") return MAX_HELLO_BYTES;
    return asked?.method === "tools/list" ? this.#listBytes : MAX_BYTES;
  }
}

/** Throws for an answer that holds none; a status that refuses is the library's to tell. */
function watchOf(
  answer: EgressAnswer,
  { waiting, isResumed }: { waiting: AskedRequest; isResumed: boolean },
): AnswerWatch | undefined {
  const { status } = answer;
  const isRefused = status < 200 || status > 299;
  if (isRefused && !isResumed) return undefined;
  if (isRefused || status === 202 || WITHOUT_BODY.has(status)) {
    answer.close();
    throw noAnswer();
  }
  const type = answer.headers["content-type"] ?? "";
  return new AnswerWatch(waiting, /^text\/event-stream\b/i.test(type));
}

interface Reading {
  onFailure: (error: unknown) => void;
  watch: AnswerWatch | undefined;
  seen: (bytes: number) => void;
}

function toResponse(answer: EgressAnswer, reading: Reading): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const init = { status: answer.status, headers };
  if (WITHOUT_BODY.has(answer.status)) {
    answer.close();
    return new Response(null, init);
  }
  return new Response(streamOf(answer, reading), init);
}

function streamOf(
  answer: EgressAnswer,
  { onFailure, watch, seen }: Reading,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let cancelled = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await answer.body.next();
        if (cancelled) return;
        if (done) {
          watch?.end();
          return controller.close();
        }
        seen(value.length);
        watch?.feed(value);
        controller.enqueue(new Uint8Array(value));
      } catch (error) {
        // Whoever cancels has broken the connection, and knows.
        if (cancelled) return;
        answer.close();
        onFailure(error);
        controller.error(error);
      }
    },
    cancel: () => {
      cancelled = true;
      answer.close();
    },
  });
}
