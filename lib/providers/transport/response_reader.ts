import type { ModelEvent } from "../model.ts";
import type { StreamDecoder } from "../protocol.ts";
import type { ResponseAccumulator } from "../response_accumulator.ts";
import type { HttpExchange } from "./http_exchange.ts";
import { SseReader } from "./sse_reader.ts";
import { ProviderError } from "../provider_error.ts";

export interface ResponseReaderOptions {
  exchange: HttpExchange;
  response: ResponseAccumulator;
  decoder: StreamDecoder;
  /** Told of a stream that broke after it had begun. */
  onBroken: (fault: unknown) => void;
}

/** Bytes that may wait for a slow reader before the vendor is asked to wait as well. */
const MAX_UNREAD_BYTES = 262_144;

/**
 * Reads one streamed answer. A network chunk is decoded whole before anybody is woken, so that what
 * arrives together costs one turn of the loop.
 */
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
      onEnd: (fault) => this.#end(fault),
    });
  }

  /**
   * Settles with the first of an answer: events that only announce one may be followed by an error,
   * and then another vendor can still be asked. Rejects when none comes. An abort in between is told
   * by `events`, with usage: the vendor had taken the request and may bill it.
   */
  async waitForStart(): Promise<void> {
    const { response } = this.#options;
    while (!response.hasStarted && !this.#ended) {
      this.#resumeReading();
      await this.#waitForMore();
    }
    if (response.hasStarted || this.#aborted) return;
    throw this.#error ?? incompleteResponse();
  }

  get #aborted(): boolean {
    return this.#error !== undefined && !(this.#error instanceof ProviderError);
  }

  /** The answer; what came before a break is told, then its usage, then the fault is thrown. */
  async *events(): AsyncGenerator<ModelEvent> {
    const { response, exchange } = this.#options;
    try {
      while (true) {
        // What had come is told even when the end came with it.
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
    // A connection that broke when all but the end mark had come took nothing from the answer.
    if (response.hasStopReason && !this.#aborted) return yield* response.finalEvents();
    const fault = this.#error ?? incompleteResponse();
    onBroken(fault);
    yield response.partialUsage();
    throw fault;
  }

  #resumeReading(): void {
    if (this.#unreadBytes > MAX_UNREAD_BYTES) this.#options.exchange.resume();
    this.#unreadBytes = 0;
  }

  #onChunk(chunk: Uint8Array): void {
    if (this.#ended) return;
    this.#unreadBytes += chunk.byteLength;
    if (this.#unreadBytes > MAX_UNREAD_BYTES) this.#options.exchange.pause();
    try {
      this.#sse.feed(chunk);
    } catch (error) {
      this.#end(error);
      this.#options.exchange.destroy();
      return;
    }
    if (this.#options.response.isComplete) {
      this.#end(undefined);
      this.#options.exchange.release(chunk.byteLength);
      return;
    }
    this.#notify();
  }

  #onData(data: string): void {
    // What follows the vendor's own end mark is not part of the answer.
    if (this.#options.response.isComplete) return;
    this.#options.decoder.decode(data);
  }

  #end(fault: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = fault;
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
  const message = "the model vendor broke off its answer";
  return new ProviderError("provider_error", message, { retry: "later" });
}
