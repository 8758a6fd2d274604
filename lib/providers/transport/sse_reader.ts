import { createParser, type EventSourceParser } from "eventsource-parser";
import { ProviderError } from "../provider_error.ts";

/** Limit for an event in characters; the longest hold the arguments of a tool call. */
const MAX_EVENT_LENGTH = 1_048_576;

/**
 * Decodes network chunks to the data of server-sent events. Throws a `ProviderError` for an event that
 * is too long, and whatever `onData` throws.
 */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #isTooLong = false;

  constructor(onData: (data: string) => void) {
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_LENGTH,
      onEvent: (event) => onData(event.data),
      onError: (error) => {
        this.#isTooLong ||= error.type === "max-buffer-size-exceeded";
      },
    });
  }

  feed(chunk: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    if (!this.#isTooLong) return;
    const message = "the model provider's answer holds too long an event";
    throw new ProviderError("provider_error", message);
  }
}
