import type { ModelEvent } from "../model.ts";
import type { StreamDecoder } from "../protocol.ts";
import type { Turn } from "../turn.ts";
import type { Exchange } from "./exchange.ts";
import { SseReader } from "./sse_reader.ts";
import { VendorFault } from "./vendor_fault.ts";

export interface AnswerReaderOptions {
  exchange: Exchange;
  turn: Turn;
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
export class AnswerReader {
  readonly #options: AnswerReaderOptions;
  readonly #sse: SseReader;
  #over = false;
  #fault: unknown;
  #unread = 0;
  #wake: (() => void) | undefined;

  constructor(options: AnswerReaderOptions) {
    this.#options = options;
    this.#sse = new SseReader((data) => this.#onData(data));
    options.exchange.listen({
      onChunk: (chunk) => this.#onChunk(chunk),
      onEnd: (fault) => this.#finish(fault),
    });
  }

  /**
   * Settles with the first of an answer: events that only announce one may be followed by an error,
   * and then another vendor can still be asked. Rejects when none comes. An abort in between is told
   * by `events`, with usage: the vendor had taken the request and may bill it.
   */
  async begun(): Promise<void> {
    const { turn } = this.#options;
    while (!turn.begun && !this.#over) {
      this.#caughtUp();
      await this.#more();
    }
    if (turn.begun || this.#aborted) return;
    throw this.#fault ?? brokenOff();
  }

  get #aborted(): boolean {
    return this.#fault !== undefined && !(this.#fault instanceof VendorFault);
  }

  /** The answer; what came before a break is told, then its usage, then the fault is thrown. */
  async *events(): AsyncGenerator<ModelEvent> {
    const { turn, exchange } = this.#options;
    try {
      while (true) {
        // What had come is told even when the end came with it.
        for (const event of turn.take()) yield event;
        if (turn.pending) continue;
        if (this.#over) break;
        this.#caughtUp();
        await this.#more();
      }
      yield* this.#last();
    } finally {
      if (!this.#over) exchange.destroy();
    }
  }

  *#last(): Generator<ModelEvent> {
    const { turn, onBroken } = this.#options;
    // A connection that broke when all but the end mark had come took nothing from the answer.
    if (turn.stopped && !this.#aborted) return yield* turn.conclude();
    const fault = this.#fault ?? brokenOff();
    onBroken(fault);
    yield turn.brokenUsage();
    throw fault;
  }

  #caughtUp(): void {
    if (this.#unread > MAX_UNREAD_BYTES) this.#options.exchange.resume();
    this.#unread = 0;
  }

  #onChunk(chunk: Uint8Array): void {
    if (this.#over) return;
    this.#unread += chunk.byteLength;
    if (this.#unread > MAX_UNREAD_BYTES) this.#options.exchange.pause();
    try {
      this.#sse.feed(chunk);
    } catch (error) {
      this.#finish(error);
      this.#options.exchange.destroy();
      return;
    }
    if (this.#options.turn.closed) {
      this.#finish(undefined);
      this.#options.exchange.release(chunk.byteLength);
      return;
    }
    this.#notify();
  }

  #onData(data: string): void {
    // What follows the vendor's own end mark is not part of the answer.
    if (this.#options.turn.closed) return;
    this.#options.decoder.take(data);
  }

  #finish(fault: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#fault = fault;
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => this.#wake = resolve);
  }
}

function brokenOff(): VendorFault {
  const message = "the model vendor broke off its answer";
  return new VendorFault("provider_error", message, { retry: "later" });
}
