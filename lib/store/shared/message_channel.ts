import { deserialize, serialize } from "node:v8";

/** Larger than any answer: a page of a list has up to 500 values of 64 KiB. */
export const MAX_FRAME_BYTES = 64 * 1_048_576;

const HEADER_BYTES = 4;
const READ_BYTES = 64 * 1_024;

export interface MessageHandlers {
  onMessage: (message: unknown) => void;
  /** Called once, also after `close`; `cause` is set if the connection failed or a frame is invalid. */
  onEnd: (cause: unknown) => void;
}

export interface Channel {
  /** Throws for a value that cannot be cloned. Does nothing after the end. */
  send(message: unknown): void;
  /** Resolves when everything sent so far is written, or the connection has ended. */
  written(): Promise<void>;
  close(): void;
}

/**
 * Exchanges structured clones over a connection. A frame is the length of its payload as a 32-bit
 * big-endian number, then the payload. An invalid frame ends the connection, and so does an exception of
 * `onMessage`. The peer must be trusted: the format is V8's.
 */
export function openMessageChannel(conn: Deno.Conn, handlers: MessageHandlers): Channel {
  return new FramedChannel(conn, handlers);
}

class FramedChannel implements Channel {
  readonly #conn: Deno.Conn;
  readonly #handlers: MessageHandlers;
  #queue: Uint8Array[] = [];
  #writing: Promise<void> | undefined;
  #isOpen = true;

  constructor(conn: Deno.Conn, handlers: MessageHandlers) {
    this.#conn = conn;
    this.#handlers = handlers;
    this.#read().then(() => this.#end(undefined), (cause) => this.#end(cause));
  }

  send(message: unknown): void {
    if (!this.#isOpen) return;
    const payload = serialize(message);
    if (payload.length > MAX_FRAME_BYTES) {
      throw new RangeError(`Message too large (max ${MAX_FRAME_BYTES} bytes)`);
    }
    const header = new Uint8Array(HEADER_BYTES);
    new DataView(header.buffer).setUint32(0, payload.length);
    this.#queue.push(header, payload);
    this.#writing ??= this.#write();
  }

  async written(): Promise<void> {
    await this.#writing;
  }

  close(): void {
    this.#end(undefined);
  }

  /** Joins what the same turn of the event loop sends, and what is sent during a write. */
  async #write(): Promise<void> {
    await Promise.resolve();
    try {
      while (this.#queue.length > 0 && this.#isOpen) {
        const bytes = joinBytes(this.#queue.splice(0));
        for (let at = 0; at < bytes.length;) at += await this.#conn.write(bytes.subarray(at));
      }
    } catch (cause) {
      this.#end(cause);
    } finally {
      this.#writing = undefined;
    }
  }

  async #read(): Promise<void> {
    let buffer = new Uint8Array(READ_BYTES);
    let filled = 0;
    while (this.#isOpen) {
      const count = await this.#conn.read(buffer.subarray(filled));
      if (count === null) return;
      const end = filled + count;
      const at = this.#receive(buffer.subarray(0, end));
      const missing = frameBytes(buffer.subarray(at, end));
      const next = missing > buffer.length ? new Uint8Array(missing) : buffer;
      next.set(buffer.subarray(at, end));
      buffer = next.length > READ_BYTES && end === at ? new Uint8Array(READ_BYTES) : next;
      filled = end - at;
    }
  }

  /** Handles the complete frames in `bytes` and returns where the next one begins. */
  #receive(bytes: Uint8Array): number {
    let at = 0;
    while (this.#isOpen) {
      const rest = bytes.subarray(at);
      const length = frameBytes(rest);
      if (rest.length < length) break;
      // A copy, because values may refer to the frame, and the buffer is used again.
      this.#handlers.onMessage(deserialize(rest.slice(HEADER_BYTES, length)));
      at += length;
    }
    return at;
  }

  #end(cause: unknown): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#queue = [];
    try {
      this.#conn.close();
    } catch (error) {
      // Its owner has closed it.
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
    this.#handlers.onEnd(cause);
  }
}

/** The length of the first frame with its header, or of a header that is not complete. */
function frameBytes(bytes: Uint8Array): number {
  if (bytes.length < HEADER_BYTES) return HEADER_BYTES;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  if (length > MAX_FRAME_BYTES) throw new RangeError(`frame too large: ${length} bytes`);
  return HEADER_BYTES + length;
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
