import type { EgressAnswer } from "../../egress/egress.ts";
import { AnswerReader, noAnswer } from "./answer_reader.ts";
import type { AskedRequest } from "./mcp_messages.ts";

/** What the library looks at of an answer's head. */
const HEADERS = ["content-type", "location", "mcp-session-id"];
const EVENTS = "text/event-stream";
const JSON_TEXT = "application/json";
/** Answers that have nothing in them. */
const WITHOUT_BODY = new Set([202, 204, 205, 304]);

export interface Reading {
  onFailure: (error: unknown) => void;
  /** Told of the bytes of a body as they come. */
  seen: (bytes: number) => void;
}

/** The answer as the library gets it when it is no answer to a request, or says that there is none. */
export function plainResponse(answer: EgressAnswer, reading: Reading): Response {
  const { status } = answer;
  const init = { status, headers: headersOf(answer) };
  // Only of what refuses a request is the text shown.
  if (isRefusal(status) && !WITHOUT_BODY.has(status)) {
    return new Response(streamOf(answer, reading), init);
  }
  answer.close();
  return new Response(null, init);
}

/**
 * Reads the answer to a request as what it says to be. Throws for one that holds none; `undefined`
 * when it is the library's to tell what is wrong with it.
 */
export function readerOf(
  answer: EgressAnswer,
  { asked, isResumed }: { asked: AskedRequest; isResumed: boolean },
): AnswerReader | undefined {
  const { status } = answer;
  const type = mediaType(answer);
  const isUseless = isResumed && (isRefusal(status) || type !== EVENTS);
  if (isUseless || (WITHOUT_BODY.has(status) && !isRefusal(status))) {
    answer.close();
    throw noAnswer();
  }
  if (isRefusal(status) || (type !== EVENTS && type !== JSON_TEXT)) return undefined;
  return new AnswerReader(asked, type === EVENTS);
}

/** The answer as `reader` writes it down. */
export function readResponse(
  answer: EgressAnswer,
  { reader, ...reading }: Reading & { reader: AnswerReader },
): Response {
  const headers = headersOf(answer);
  // Read as one of two types here, it must not be read as another there.
  headers.set("content-type", mediaType(answer));
  return new Response(streamOf(answer, { ...reading, reader }), { status: answer.status, headers });
}

function isRefusal(status: number): boolean {
  return status < 200 || status > 299;
}

function mediaType({ headers }: EgressAnswer): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

function headersOf(answer: EgressAnswer): Headers {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = answer.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}

/** Without a reader a body is handed on as it comes. */
function streamOf(
  answer: EgressAnswer,
  { onFailure, seen, reader }: Reading & { reader?: AnswerReader },
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
      if (!done) seen(value.length);
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
