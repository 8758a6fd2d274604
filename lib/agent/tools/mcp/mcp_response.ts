import type { EgressResponse } from "../../../egress/egress.ts";
import type { PendingRequest } from "./mcp_messages.ts";
import { McpResponseParser, missingResultError } from "./mcp_response_parser.ts";

const RELAYED_HEADERS = ["content-type", "location", "mcp-session-id"];
const EVENT_STREAM = "text/event-stream";
const JSON_TYPE = "application/json";
const NULL_BODY_STATUSES = new Set([202, 204, 205, 304]);

export interface BodyCallbacks {
  onFailure: (error: unknown) => void;
  onBytes: (bytes: number) => void;
}

/**
 * The parser for the response to a request. Throws if the response cannot hold a result; `undefined` if
 * the library should report what is wrong with it.
 */
export function createResponseParser(
  answer: EgressResponse,
  { request, isResumed }: { request: PendingRequest; isResumed: boolean },
): McpResponseParser | undefined {
  const { status } = answer;
  const type = mediaType(answer);
  const isUseless = isResumed && (isErrorStatus(status) || type !== EVENT_STREAM);
  if (isUseless || (NULL_BODY_STATUSES.has(status) && !isErrorStatus(status))) {
    answer.close();
    throw missingResultError();
  }
  if (isErrorStatus(status) || (type !== EVENT_STREAM && type !== JSON_TYPE)) return undefined;
  return new McpResponseParser(request, type === EVENT_STREAM);
}

/** The response for the library: the parser's output or, without a parser, only the body of an error. */
export function toResponse(
  answer: EgressResponse,
  { parser, ...callbacks }: BodyCallbacks & { parser: McpResponseParser | undefined },
): Response {
  const { status } = answer;
  const headers = relayedHeaders(answer);
  const hasBody = isErrorStatus(status) && !NULL_BODY_STATUSES.has(status);
  if (parser === undefined && !hasBody) {
    answer.close();
    return new Response(null, { status, headers });
  }
  // The library must read the body as the same type as the parser did.
  if (parser !== undefined) headers.set("content-type", mediaType(answer));
  return new Response(bodyStream(answer, { ...callbacks, parser }), { status, headers });
}

function isErrorStatus(status: number): boolean {
  return status < 200 || status > 299;
}

function mediaType({ headers }: EgressResponse): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

function relayedHeaders(answer: EgressResponse): Headers {
  const headers = new Headers();
  for (const name of RELAYED_HEADERS) {
    const value = answer.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}

/** Without a parser, chunks pass through unchanged. */
function bodyStream(
  answer: EgressResponse,
  { onFailure, onBytes, parser }: BodyCallbacks & { parser: McpResponseParser | undefined },
): ReadableStream<Uint8Array> {
  let cancelled = false;
  let ended = false;
  const encoder = new TextEncoder();
  /** The next chunk that the library needs; `undefined` at the end. */
  const next = async (): Promise<Uint8Array | undefined> => {
    while (!ended) {
      const { done, value } = await answer.body.next();
      if (cancelled) return undefined;
      ended = done === true;
      if (!done) onBytes(value.length);
      if (parser === undefined) return done ? undefined : value;
      if (parser.isComplete) continue;
      const text = done ? parser.end() : parser.feed(value);
      // Chunks without a relevant message do not wake the library.
      if (text !== "") return encoder.encode(text);
    }
    return undefined;
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const chunk = await next();
        if (cancelled) return;
        if (chunk === undefined) return controller.close();
        controller.enqueue(chunk);
      } catch (error) {
        // After a cancellation, errors come from the closed connection.
        if (cancelled) return;
        answer.close();
        if (parser?.isComplete) return controller.close();
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
