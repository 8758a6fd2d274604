import type { EgressAnswer } from "../../egress/egress.ts";
import { EgressError } from "../../egress/egress_error.ts";
import type { ToolWorld } from "./http_tool.ts";

const ANSWER_MS = 30_000;
/** Ending a session is a courtesy that nobody waits for. */
const DELETE_MS = 2_000;
/** A page of 64 tools with their schemas. */
const MAX_BYTES = 1_048_576;
/** A server may ask questions of its own, each answered by a request: not without end. */
const MAX_REQUESTS = 256;
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * The `fetch` the MCP library is given: everything it sends goes through the guard and follows no
 * redirect. `onFailure` hears of what breaks, also in the middle of a stream, where the library
 * would wait on.
 */
export function mcpFetch(
  world: ToolWorld,
  onFailure: (error: unknown) => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  let requests = 0;
  return async (url, init = {}) => {
    const headers = new Headers(init.headers);
    const method = init.method ?? "GET";
    // No stream stands open beside the calls: a run only listens while it waits for an answer.
    if (method === "GET" && !headers.has("last-event-id")) {
      return new Response(null, { status: 405 });
    }
    try {
      if (++requests > MAX_REQUESTS) {
        throw new EgressError("tool_unreachable", "the server asks for too many requests");
      }
      const answer = await world.egress.open({
        method,
        url: new URL(url),
        headers: Object.fromEntries(headers),
        body: typeof init.body === "string" ? new TextEncoder().encode(init.body) : undefined,
        allowedDomains: world.allowedDomains,
        timeoutMs: method === "DELETE" ? DELETE_MS : ANSWER_MS,
        maxResponseBytes: MAX_BYTES,
        signal: init.signal ?? new AbortController().signal,
        redirects: 0,
        record: world.record,
      });
      return toResponse(answer, onFailure);
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };
}

function toResponse(answer: EgressAnswer, onFailure: (error: unknown) => void): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const init = { status: answer.status, headers };
  if (WITHOUT_BODY.has(answer.status)) {
    answer.close();
    return new Response(null, init);
  }
  return new Response(streamOf(answer, onFailure), init);
}

function streamOf(
  answer: EgressAnswer,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let cancelled = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await answer.body.next();
        if (cancelled) return;
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value));
      } catch (error) {
        // Whoever cancels has broken the connection, and knows.
        if (cancelled) return;
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
