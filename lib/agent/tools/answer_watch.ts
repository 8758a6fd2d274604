import { createParser, type EventSourceParser } from "eventsource-parser";
import { EgressError } from "../../egress/egress_error.ts";
import { isObject } from "./mcp_list.ts";

/** Messages in one answer: the library looks at each in turn, and lets nobody else in meanwhile. */
const MAX_EVENTS = 2_000;

/** A request of ours that waits for its answer. */
export interface AskedRequest {
  id: string;
  method: string;
}

/** The request in a body that the library sends; nothing for a notification or an answer of ours. */
export function askedRequest(body: unknown): AskedRequest | undefined {
  if (typeof body !== "string") return undefined;
  const { id, method } = asObject(JSON.parse(body));
  if (typeof method !== "string") return undefined;
  return typeof id === "number" || typeof id === "string" ? { id: `${id}`, method } : undefined;
}

/**
 * Looks for the answer to a request in what a server sends. The library waits for it until its time is
 * up, also when the server has ended the stream in which it was to come.
 */
export class AnswerWatch {
  readonly #id: string;
  readonly #decoder = new TextDecoder();
  readonly #events: EventSourceParser | undefined;
  #json = "";
  #answered = false;
  #resumable = false;
  #seen = 0;

  /** `isStream` says whether the answer is a stream of events or else one JSON text. */
  constructor({ id }: AskedRequest, isStream: boolean) {
    this.#id = id;
    if (!isStream) return;
    this.#events = createParser({
      onEvent: (event) => {
        this.#seen++;
        // The library will ask for what comes after it.
        this.#resumable ||= (event.id ?? "") !== "";
        // It passes over events of other kinds.
        const isMessage = event.event === undefined || event.event === "message";
        if (isMessage && this.#seen <= MAX_EVENTS) this.#look(event.data);
      },
    });
  }

  /** Throws when there is too much to look at. */
  feed(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    if (this.#events === undefined) this.#json += text;
    else this.#events.feed(text);
    if (this.#seen > MAX_EVENTS) {
      const message = `the answer holds more than ${MAX_EVENTS} messages`;
      throw new EgressError("tool_response_too_large", message);
    }
  }

  /** Throws when the answer has ended and will not come any more. */
  end(): void {
    if (this.#events === undefined) this.#look(this.#json);
    if (!this.#answered && !this.#resumable) throw noAnswer();
  }

  #look(data: string): void {
    if (this.#answered || data === "") return;
    try {
      const value: unknown = JSON.parse(data);
      const messages = Array.isArray(value) ? value : [value];
      this.#answered = messages.some((message) => this.#isAnswer(asObject(message)));
    } catch {
      // The library says what it makes of it.
    }
  }

  /** As strict as the library, which drops what it does not understand. */
  #isAnswer({ jsonrpc, id, result, error }: Record<string, unknown>): boolean {
    if (jsonrpc !== "2.0" || `${id}` !== this.#id) return false;
    const { code, message } = asObject(error);
    return isObject(result) || (Number.isSafeInteger(code) && typeof message === "string");
  }
}

/** What ends a call whose answer will not come. */
export function noAnswer(): EgressError {
  return new EgressError("tool_unreachable", "the server ended its answer without a result");
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
