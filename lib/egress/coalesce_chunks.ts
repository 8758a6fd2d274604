import { finished, type Readable } from "node:stream";
import { concatBytes } from "../platform/bytes.ts";
import { EgressError } from "./egress_error.ts";

/** Per response; 2,000 events of several chunks each stay far below. */
export const MAX_CHUNKS = 16_000;

type ChunkLimits = { maxBytes: number; maxChunks?: number };

/**
 * Reads `source` in as few pieces as possible: each holds all that has arrived since the last one.
 * Passing on 900,000 chunks of one byte took the consumer 6 s of CPU (measured). The source flows from
 * the first call on and is never paused: a paused TLS socket delivers its backlog at once, and that is
 * parsed before it can be destroyed. So up to `maxBytes` are buffered. Beyond a limit, the source is
 * destroyed and the reader gets what arrived and then `tool_response_too_large`.
 */
export function coalesceChunks(source: Readable, limits: ChunkLimits): AsyncGenerator<Uint8Array> {
  return drain(new ChunkBuffer(source, limits));
}

async function* drain(buffer: ChunkBuffer): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = await buffer.take(); piece !== undefined; piece = await buffer.take()) {
      yield piece;
    }
  } finally {
    buffer.close();
  }
}

class ChunkBuffer {
  readonly #source: Readable;
  readonly #limits: Required<ChunkLimits>;
  #chunks: Uint8Array[] = [];
  #chunkCount = 0;
  #bytes = 0;
  #ended = false;
  #error: unknown;
  #wake = () => {};

  constructor(source: Readable, { maxBytes, maxChunks = MAX_CHUNKS }: ChunkLimits) {
    this.#source = source;
    this.#limits = { maxBytes, maxChunks };
    finished(source, { writable: false }, (error) => this.#end(error ?? undefined));
    source.on("data", (chunk: Uint8Array) => this.#append(chunk));
    // Before a first read, Node defers data events: 76,000 chunks arrived before the first one
    // (measured).
    source.read(0);
  }

  /** Waits for data; `undefined` at the end. Throws the error that ended the source. */
  async take(): Promise<Uint8Array | undefined> {
    while (this.#chunks.length === 0) {
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return concatBytes(this.#chunks.splice(0));
  }

  close(): void {
    this.#source.destroy();
  }

  #append(chunk: Uint8Array): void {
    if (this.#ended) return;
    const { maxBytes, maxChunks } = this.#limits;
    if (++this.#chunkCount > maxChunks) {
      return this.#reject(`the response comes in more than ${maxChunks} chunks`);
    }
    const capacity = maxBytes - this.#bytes;
    this.#bytes += chunk.length;
    if (capacity > 0) this.#chunks.push(chunk.subarray(0, capacity));
    if (chunk.length > capacity) this.#reject(`the response is larger than ${maxBytes} bytes`);
    this.#wake();
  }

  #reject(message: string): void {
    this.#end(new EgressError("tool_response_too_large", message));
    this.#source.destroy();
  }

  #end(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#wake();
  }
}
