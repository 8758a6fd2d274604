import { createParser, type EventSourceParser } from "eventsource-parser";
import { EgressError } from "../../../egress/egress_error.ts";
import { parseMessage, type PendingRequest } from "./mcp_messages.ts";

/** Messages in one answer, whether each has an event to itself or all stand in one list. */
const MAX_MESSAGES = 2_000;
/** A server may ask to be left alone before its stream is resumed, but not for longer. */
const MAX_RETRY_MS = 30_000;
/** An id of an event is sent back in a header. */
const EVENT_ID = /^[!-~](?:[ -~]{0,1022}[!-~])?$/;

/**
 * Reads what a server answers to one request and writes down anew what of it concerns us. The library
 * gets nothing else: its own parser of streams took 2 to 4 s for 1 MiB of short lines (measured), in
 * one turn, and it waits for an answer until its time is up, also when the server has ended the stream
 * in which it was to come.
 */
export class McpResponseParser {
  readonly request: PendingRequest;
  readonly #decoder = new TextDecoder();
  readonly #events: EventSourceParser | undefined;
  #json = "";
  #messages = 0;
  #answered = false;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  /** Of the piece that is being read, as a stream of events. */
  #output = "";

  /** `isStream` says whether the answer is a stream of events or else one JSON text. */
  constructor(asked: PendingRequest, isStream: boolean) {
    this.request = asked;
    if (!isStream) return;
    this.#events = createParser({
      onEvent: (event) => {
        if (this.#answered) return;
        this.#messages++;
        this.#appendEventId(event.id ?? "");
        // Events of other kinds are no messages.
        const isMessage = event.event === undefined || event.event === "message";
        for (const text of isMessage ? this.#parseMessages(event.data) : []) {
          this.#output += `data: ${text}\n\n`;
        }
      },
      onRetry: (ms) => this.#retryMs = Math.min(ms, MAX_RETRY_MS),
    });
  }

  /** Whether the answer has been handed on: nothing after it matters. */
  get answered(): boolean {
    return this.#answered;
  }

  /** From where the library may resume the stream. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** What is to be handed on of the next piece; throws when there is too much to look at. */
  feed(chunk: Uint8Array): string {
    const text = this.#decoder.decode(chunk, { stream: true });
    if (this.#events === undefined) {
      this.#json += text;
      return "";
    }
    this.#output = "";
    this.#events.feed(text);
    this.#checkCount();
    return this.#output;
  }

  /** What is left to be handed on; throws when the answer has ended and will not come any more. */
  end(): string {
    const texts = this.#events === undefined ? this.#parseMessages(this.#json) : [];
    this.#checkCount();
    if (this.#answered) return texts.length === 0 ? "" : `[${texts.join()}]`;
    if (this.#lastEventId === undefined) throw missingResultError();
    // Said only once, whatever the server said: nobody needs it before the end.
    return this.#retryMs === undefined ? "" : `retry: ${this.#retryMs}\n\n`;
  }

  /** The library will ask for what comes after an event that has an id. */
  #appendEventId(id: string): void {
    if (!EVENT_ID.test(id)) return;
    this.#lastEventId = id;
    this.#output += `id: ${id}\ndata: \n\n`;
  }

  /** The messages in a JSON text that concern us, each as a text of its own, up to the answer. */
  #parseMessages(data: string): string[] {
    if (data === "") return [];
    const said = parseJson(data);
    const list: readonly unknown[] = Array.isArray(said) ? said : [said];
    if (Array.isArray(said)) this.#messages += said.length;
    if (this.#messages > MAX_MESSAGES) return [];
    const texts: string[] = [];
    for (const one of list) {
      const found = parseMessage(one, this.request);
      if (found === undefined) continue;
      texts.push(stringifyMessage(found.message));
      this.#answered = found.isAnswer;
      if (this.#answered) break;
    }
    return texts;
  }

  #checkCount(): void {
    if (this.#messages <= MAX_MESSAGES) return;
    const message = `the answer holds more than ${MAX_MESSAGES} messages`;
    throw new EgressError("tool_response_too_large", message);
  }
}

/** What ends a call whose answer will not come. */
export function missingResultError(): EgressError {
  return new EgressError("tool_unreachable", "the server ended its answer without a result");
}

/** What is no JSON is no message. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function stringifyMessage(message: unknown): string {
  try {
    return JSON.stringify(message);
  } catch {
    // Reading takes any depth, writing overflows the stack.
    throw new EgressError("tool_response_too_large", "the answer is nested too deeply");
  }
}
