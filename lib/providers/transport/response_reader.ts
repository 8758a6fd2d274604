import type { ModelEvent } from "../model.ts";
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

/** Bytes that may wait for a slow reader before the exchange is paused. */
const MAX_UNREAD_BYTES = 262_144;

/** Reads a streamed response. Each chunk is decoded completely before a reader wakes. */
export class ResponseReader {
  readonly #options: ResponseReaderOptions;
  readonly #sse: SseReader;
  #ended = false;
  #error: unknown;
  #unreadBytes = 0;
  #wake: (() => void) | undefined;

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
   * to `events`, which reports the usage that may be billed.
   */
  async waitForStart(): Promise<void> {
    const { response } = this.#options;
    while (!response.hasStarted && !this.#ended) {
      this.#resumeReading();
      await this.#waitForMore();
    }
    if (response.hasStarted || this.#isAborted) return;
    throw this.#error ?? incompleteResponse();
  }

  get #isAborted(): boolean {
    return this.#error !== undefined && !(this.#error instanceof ProviderError);
  }

  /** Yields the events; if the response breaks, yields its usage and throws. */
  async *events(): AsyncGenerator<ModelEvent> {
    const { response, exchange } = this.#options;
    try {
      while (true) {
        // Events that arrived together with the end still count.
        for (const event of response.takeEvents()) yield event;
        if (response.hasEvents) continue;
        if (this.#ended) break;
        this.#resumeReading();
        await this.#waitForMore();
      }
      yield* this.#finalEvents();
    } finally {
      if (!this.#ended) exchange.destroy();
    }
  }

  *#finalEvents(): Generator<ModelEvent> {
    const { response, onBroken } = this.#options;
    // If only the end mark is missing, the response is whole.
    if (response.hasStopReason && !this.#isAborted) return yield* response.finalEvents();
    const error = this.#error ?? incompleteResponse();
    onBroken(error);
    yield response.partialUsage();
    throw error;
  }

  #resumeReading(): void {
    if (this.#unreadBytes > MAX_UNREAD_BYTES) this.#options.exchange.resume();
    this.#unreadBytes = 0;
  }

  #onChunk(chunk: Uint8Array): void {
    if (this.#ended) return;
    const { exchange, response } = this.#options;
    this.#unreadBytes += chunk.byteLength;
    if (this.#unreadBytes > MAX_UNREAD_BYTES) exchange.pause();
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
    this.#notify();
  }

  #onData(data: string): void {
    // Events after the end mark are not part of the response.
    if (!this.#options.response.isComplete) this.#options.decoder.decode(data);
  }

  #end(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #waitForMore(): Promise<void> {
    return new Promise((resolve) => this.#wake = resolve);
  }
}

function incompleteResponse(): ProviderError {
  const message = "the model provider broke off its answer";
  return new ProviderError("provider_error", message, { retry: "later" });
}
