import { createParser, type EventSourceParser } from "eventsource-parser";
import { EgressError } from "../../../egress/egress_error.ts";
import { tryParseJson } from "../../../platform/json.ts";
import { parseMessage, type PendingRequest } from "./mcp_messages.ts";

/** Messages in one response, as events or in one list. */
const MAX_MESSAGES = 2_000;
/** Limit for the delay that a server may request before its stream is resumed. */
const MAX_RETRY_MS = 30_000;
/** Event ids are sent back in a header. */
const EVENT_ID = /^[!-~](?:[ -~]{0,1022}[!-~])?$/;

/**
 * Parses a server's response to one request and serializes the relevant messages again for the library.
 * The library's own stream parser took 2 to 4 s for 1 MiB of short lines without yielding (measured),
 * and it waits for its timeout if the server ends the stream without a response.
 */
export class McpResponseParser {
  readonly request: PendingRequest;
  readonly #decoder = new TextDecoder();
  readonly #events: EventSourceParser | undefined;
  #json = "";
  #messages = 0;
  #isComplete = false;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #output = "";

  /** `isStream` selects an event stream instead of a single JSON text. */
  constructor(request: PendingRequest, isStream: boolean) {
    this.request = request;
    if (!isStream) return;
    this.#events = createParser({
      onEvent: ({ id = "", event = "message", data }) => {
        if (this.#isComplete) return;
        this.#messages++;
        this.#appendEventId(id);
        for (const text of event === "message" ? this.#parseMessages(data) : []) {
          this.#output += `data: ${text}\n\n`;
        }
      },
      onRetry: (ms) => this.#retryMs = Math.min(ms, MAX_RETRY_MS),
    });
  }

  /** Whether the response was found: nothing after it matters. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The event after which the library may resume the stream. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** Returns the output for a chunk. Throws if the response holds too many messages. */
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

  /** Returns the last output. Throws if the stream ended without a response and cannot be resumed. */
  end(): string {
    const texts = this.#events === undefined ? this.#parseMessages(this.#json) : [];
    this.#checkCount();
    if (this.#isComplete) return texts.length === 0 ? "" : `[${texts.join()}]`;
    if (this.#lastEventId === undefined) throw missingResultError();
    // The library needs the delay only now, however often the server sent one.
    return this.#retryMs === undefined ? "" : `retry: ${this.#retryMs}\n\n`;
  }

  /** Passes the id on, from which the library can resume the stream. */
  #appendEventId(id: string): void {
    if (!EVENT_ID.test(id)) return;
    this.#lastEventId = id;
    this.#output += `id: ${id}\ndata: \n\n`;
  }

  /** The relevant messages of a JSON text, up to and including the response. */
  #parseMessages(data: string): string[] {
    if (data === "") return [];
    const value = tryParseJson(data);
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (Array.isArray(value)) this.#messages += value.length;
    if (this.#messages > MAX_MESSAGES) return [];
    const texts: string[] = [];
    for (const item of list) {
      const parsed = parseMessage(item, this.request);
      if (parsed === undefined) continue;
      texts.push(stringifyMessage(parsed.message));
      this.#isComplete = parsed.isResponse;
      if (this.#isComplete) break;
    }
    return texts;
  }

  #checkCount(): void {
    if (this.#messages <= MAX_MESSAGES) return;
    const message = `the answer holds more than ${MAX_MESSAGES} messages`;
    throw new EgressError("tool_response_too_large", message);
  }
}

/** The error for a response that will not arrive. */
export function missingResultError(): EgressError {
  return new EgressError("tool_unreachable", "the server ended its answer without a result");
}

function stringifyMessage(message: unknown): string {
  try {
    return JSON.stringify(message);
  } catch {
    // JSON.parse accepts any depth, JSON.stringify overflows the stack.
    throw new EgressError("tool_response_too_large", "the answer is nested too deeply");
  }
}
