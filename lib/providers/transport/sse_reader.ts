import { createParser, type EventSourceParser } from "eventsource-parser";
import { ProviderError } from "../provider_error.ts";

/** Longest event in characters; a vendor's longest honest one is a tool call's arguments. */
const MAX_EVENT_LENGTH = 1_048_576;

/**
 * Turns network chunks, cut anywhere, into the data of server-sent events. Throws a `ProviderError`
 * for an event that is too long, and whatever `onData` throws.
 */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #tooLong = false;

  constructor(onData: (data: string) => void) {
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_LENGTH,
      onEvent: (event) => onData(event.data),
      onError: (error) => {
        this.#tooLong ||= error.type === "max-buffer-size-exceeded";
      },
    });
  }

  feed(chunk: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    if (this.#tooLong) {
      throw new ProviderError(
        "provider_error",
        "the model vendor's answer holds too long an event",
      );
    }
  }
}
