import type { ModelEvent, ModelStream } from "../model.ts";
import type { StreamDecoder } from "../protocol.ts";
import { ProviderError } from "../provider_error.ts";
import type { ResponseAccumulator } from "../response_accumulator.ts";
import type { HttpExchange } from "./http_exchange.ts";
import { SseReader } from "./sse_reader.ts";

export interface ResponseReaderOptions {
  exchange: HttpExchange;
  response: ResponseAccumulator;
  decoder: StreamDecoder;
  /** Called if the stream breaks after it began. */
  onBroken: (error: unknown) => void;
}

/** Bytes that may arrive between the start and the reader before the exchange is paused. */
const MAX_UNREAD_BYTES = 262_144;

/** Reads a streamed response: decodes each chunk completely, then passes on its events. */
export class ResponseReader implements ModelStream {
  readonly #options: ResponseReaderOptions;
  readonly #sse: SseReader;
  /** Whether an event has arrived; headers and comments may only keep the connection alive. */
  hasEvent = false;
  readonly #finished = Promise.withResolvers<void>();
  #onEvent: ((event: ModelEvent) => void) | undefined;
  #onStart: (() => void) | undefined;
  #isPassingOn = false;
  #ended = false;
  #error: unknown;
  #unreadBytes = 0;

  constructor(options: ResponseReaderOptions) {
    this.#options = options;
    this.#sse = new SseReader((data) => this.#onData(data));
    options.exchange.listen({
      onChunk: (chunk) => this.#onChunk(chunk),
      onEnd: (error) => this.#end(error),
    });
  }

  /**
   * Resolves with the first output: events that only announce it may be followed by an error, after
   * which a fallback can still be tried. Rejects if the response ends without output. An abort is left
   * to `read`, which reports the usage that may be billed.
   */
  async waitForStart(): Promise<void> {
    const { response } = this.#options;
    if (!response.hasStarted && !this.#ended) {
      await new Promise<void>((resolve) => this.#onStart = resolve);
    }
    if (response.hasStarted || this.#isAborted) return;
    throw this.#error ?? incompleteResponse();
  }

  get #isAborted(): boolean {
    return this.#error !== undefined && !(this.#error instanceof ProviderError);
  }

  read(onEvent: (event: ModelEvent) => void): Promise<void> {
    this.#onEvent = onEvent;
    this.#passOn();
    if (this.#unreadBytes > MAX_UNREAD_BYTES) this.#options.exchange.resume();
    return this.#finished.promise;
  }

  /** Passes on the events so far, and after the end what comes last. A reader may end it meanwhile. */
  #passOn(): void {
    const onEvent = this.#onEvent;
    if (onEvent === undefined || this.#isPassingOn) return;
    this.#isPassingOn = true;
    try {
      for (const event of this.#options.response.takeEvents()) onEvent(event);
    } catch (error) {
      this.#finished.reject(error);
      this.#ended = true;
      this.#options.exchange.destroy();
      return;
    } finally {
      this.#isPassingOn = false;
    }
    if (this.#ended) this.#finish(onEvent);
  }

  /** Reports what comes last: if the response broke, only its usage. */
  #finish(onEvent: (event: ModelEvent) => void): void {
    const { response, onBroken } = this.#options;
    try {
      // If only the end mark is missing, the response is whole.
      if (response.hasStopReason && !this.#isAborted) {
        response.finish(onEvent);
        return this.#finished.resolve();
      }
      const error = this.#error ?? incompleteResponse();
      onBroken(error);
      onEvent(response.partialUsage());
      throw error;
    } catch (error) {
      this.#finished.reject(error);
    }
  }

  #onChunk(chunk: Uint8Array): void {
    if (this.#ended) return;
    const { exchange, response } = this.#options;
    try {
      this.#sse.feed(chunk);
    } catch (error) {
      this.#end(error);
      exchange.destroy();
      return;
    }
    if (response.isComplete) {
      this.#end(undefined);
      exchange.release(chunk.byteLength);
      return;
    }
    // Neither the first text nor a tool call waits for an interval.
    exchange.isPaced = response.hasText && response.toolCallCount === 0;
    if (this.#onEvent !== undefined) this.#passOn();
    else if (response.hasStarted) this.#countUnread(chunk);
  }

  #countUnread(chunk: Uint8Array): void {
    this.#onStart?.();
    this.#unreadBytes += chunk.byteLength;
    if (this.#unreadBytes > MAX_UNREAD_BYTES) this.#options.exchange.pause();
  }

  #onData(data: string): void {
    this.hasEvent = true;
    // Events after the end mark are not part of the response.
    if (!this.#options.response.isComplete) this.#options.decoder.decode(data);
  }

  #end(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#onStart?.();
    this.#passOn();
  }
}

function incompleteResponse(): ProviderError {
  const message = "the model provider broke off its answer";
  return new ProviderError("provider_error", message, { retry: "later" });
}
