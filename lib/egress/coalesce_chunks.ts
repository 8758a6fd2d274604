import { finished, type Readable } from "node:stream";
import { EgressError } from "./egress_error.ts";

/** Chunks of one answer; 2,000 events of several chunks each are far below. */
export const MAX_CHUNKS = 16_000;

interface ChunkLimits {
  maxBytes: number;
  maxChunks?: number;
}

/**
 * What `source` brings, in as few pieces as its reader needs: all that came since the last piece is
 * one. Handed on one by one, 900,000 chunks of a byte each took 6 s of CPU in whoever stood behind
 * (measured). The source is listened to from the call on and never paused: a TLS socket that was
 * paused brings all that came meanwhile at once, and its chunks are parsed before anybody can end
 * it. So up to `maxBytes` are held. Past them, or past `maxChunks`, the source is destroyed and the
 * reader told with `tool_response_too_large`, after what there was.
 */
export function coalesceChunks(source: Readable, bounds: ChunkLimits): AsyncGenerator<Uint8Array> {
  return drain(new ChunkBuffer(source, bounds));
}

async function* drain(held: ChunkBuffer): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = await held.take(); piece !== undefined; piece = await held.take()) {
      yield piece;
    }
  } finally {
    held.close();
  }
}

class ChunkBuffer {
  readonly #source: Readable;
  readonly #maxChunks: number;
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #chunks = 0;
  #bytes = 0;
  #ended = false;
  #error: unknown;
  #wake = () => {};

  constructor(source: Readable, { maxBytes, maxChunks = MAX_CHUNKS }: ChunkLimits) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#maxChunks = maxChunks;
    finished(source, { writable: false }, (fault) => this.#end(fault ?? undefined));
    source.on("data", (chunk: Uint8Array) => this.#append(chunk));
    // Until it is read once, chunks are kept back for a later tick: 76,000 of them came before the
    // first was told of (measured).
    source.read(0);
  }

  /** Waits for something; `undefined` at the end. Throws what ended the source otherwise. */
  async take(): Promise<Uint8Array | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    const piece = concatBytes(this.#pieces);
    this.#pieces = [];
    return piece;
  }

  close(): void {
    this.#source.destroy();
  }

  #append(chunk: Uint8Array): void {
    if (this.#ended) return;
    if (++this.#chunks > this.#maxChunks) {
      return this.#reject(`the answer comes in more than ${this.#maxChunks} chunks`);
    }
    const room = this.#maxBytes - this.#bytes;
    this.#bytes += chunk.length;
    if (room > 0) this.#pieces.push(chunk.subarray(0, room));
    if (chunk.length > room) this.#reject(`the answer is larger than ${this.#maxBytes} bytes`);
    this.#wake();
  }

  #reject(message: string): void {
    this.#end(new EgressError("tool_response_too_large", message));
    this.#source.destroy();
  }

  #end(fault: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = fault;
    this.#wake();
  }
}

export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
