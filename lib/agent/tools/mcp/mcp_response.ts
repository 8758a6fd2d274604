import type { EgressResponse } from "../../../egress/egress.ts";
import { McpResponseParser, missingResultError } from "./mcp_response_parser.ts";
import type { PendingRequest } from "./mcp_messages.ts";

/** What the library looks at of an answer's head. */
const RELAYED_HEADERS = ["content-type", "location", "mcp-session-id"];
const EVENT_STREAM = "text/event-stream";
const JSON_TYPE = "application/json";
/** Answers that have nothing in them. */
const NULL_BODY_STATUSES = new Set([202, 204, 205, 304]);

export interface BodyCallbacks {
  onFailure: (error: unknown) => void;
  /** Told of the bytes of a body as they come. */
  onBytes: (bytes: number) => void;
}

/** The answer as the library gets it when it is no answer to a request, or says that there is none. */
export function relayResponse(answer: EgressResponse, reading: BodyCallbacks): Response {
  const { status } = answer;
  const init = { status, headers: relayedHeaders(answer) };
  // Only of what refuses a request is the text shown.
  if (isErrorStatus(status) && !NULL_BODY_STATUSES.has(status)) {
    return new Response(bodyStream(answer, reading), init);
  }
  answer.close();
  return new Response(null, init);
}

/**
 * Reads the answer to a request as what it says to be. Throws for one that holds none; `undefined`
 * when it is the library's to tell what is wrong with it.
 */
export function createResponseParser(
  answer: EgressResponse,
  { asked, isResumed }: { asked: PendingRequest; isResumed: boolean },
): McpResponseParser | undefined {
  const { status } = answer;
  const type = mediaType(answer);
  const isUseless = isResumed && (isErrorStatus(status) || type !== EVENT_STREAM);
  if (isUseless || (NULL_BODY_STATUSES.has(status) && !isErrorStatus(status))) {
    answer.close();
    throw missingResultError();
  }
  if (isErrorStatus(status) || (type !== EVENT_STREAM && type !== JSON_TYPE)) return undefined;
  return new McpResponseParser(asked, type === EVENT_STREAM);
}

/** The answer as `reader` writes it down. */
export function parsedResponse(
  answer: EgressResponse,
  { reader, ...reading }: BodyCallbacks & { reader: McpResponseParser },
): Response {
  const headers = relayedHeaders(answer);
  // Read as one of two types here, it must not be read as another there.
  headers.set("content-type", mediaType(answer));
  return new Response(bodyStream(answer, { ...reading, reader }), {
    status: answer.status,
    headers,
  });
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

/** Without a reader a body is handed on as it comes. */
function bodyStream(
  answer: EgressResponse,
  { onFailure, onBytes, reader }: BodyCallbacks & { reader?: McpResponseParser },
): ReadableStream<Uint8Array> {
  let cancelled = false;
  let ended = false;
  const encoder = new TextEncoder();
  /** Whatever comes next that the library needs to know; nothing at the end. */
  const next = async (): Promise<Uint8Array | undefined> => {
    while (!ended) {
      const { done, value } = await answer.body.next();
      if (cancelled) return undefined;
      ended = done === true;
      if (!done) onBytes(value.length);
      if (reader === undefined) return done ? undefined : value;
      // The server may end as it likes what nobody waits for any more.
      if (reader.answered) continue;
      const text = done ? reader.end() : reader.feed(value);
      // What a server says in a thousand pieces wakes the library once.
      if (text !== "") return encoder.encode(text);
    }
    return undefined;
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const piece = await next();
        if (cancelled) return;
        if (piece === undefined) return controller.close();
        controller.enqueue(piece);
      } catch (error) {
        // Whoever cancels has broken the connection, and knows.
        if (cancelled) return;
        answer.close();
        if (reader?.answered) return controller.close();
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
