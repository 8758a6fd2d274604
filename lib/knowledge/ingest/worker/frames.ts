/**
 * The messages between the service and a worker process: the length of a header as four bytes (little
 * endian), the header as JSON, and then the byte strings whose lengths the header lists.
 */

/** A message as it was received; its header is whatever the other side sent. */
export interface Frame {
  header: Record<string, unknown>;
  payloads: Uint8Array<ArrayBuffer>[];
}

/** The most that a reader accepts. */
export interface FrameLimits {
  headerBytes: number;
  /** All parts together. */
  payloadBytes: number;
  payloads: number;
}

/** The other side does not follow the protocol, or exceeds a limit. */
export class FrameError extends Error {
  override name = "FrameError";
}

/** The pieces of one message, in the order in which they are to be written. */
export function encodeFrame(
  header: Record<string, unknown>,
  parts: readonly Uint8Array<ArrayBuffer>[] = [],
): Uint8Array<ArrayBuffer>[] {
  const json = new TextEncoder().encode(
    JSON.stringify({ ...header, sizes: parts.map(({ length }) => length) }),
  );
  const head = new Uint8Array(4 + json.length);
  new DataView(head.buffer).setUint32(0, json.length, true);
  head.set(json, 4);
  return [head, ...parts];
}

/** Reads messages from a stream of bytes. */
export class FrameReader {
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Bytes that have arrived but belong to what is read next. */
  #buffered: Uint8Array = new Uint8Array();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** The next message, or `undefined` at the end of the stream. Throws `FrameError`. */
  async read(limits: FrameLimits): Promise<Frame | undefined> {
    const prefix = new Uint8Array(4);
    const first = await this.#fill(prefix);
    if (first === 0) return undefined;
    if (first < prefix.length) throw new FrameError("the stream ended inside a message");
    const length = new DataView(prefix.buffer).getUint32(0, true);
    if (length > limits.headerBytes) throw new FrameError("a header is too large");
    const { sizes, ...header } = parseHeader(await this.#readExactly(length));
    if (!areValidSizes(sizes, limits)) throw new FrameError("the message body is too large");
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (const size of sizes) parts.push(await this.#readExactly(size));
    return { header, payloads: parts };
  }

  /** Reads no more. */
  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  async #readExactly(size: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(size);
    if (await this.#fill(bytes) === size) return bytes;
    throw new FrameError("the stream ended inside a message");
  }

  /** How many bytes there were: fewer than `target` holds only at the end of the stream. */
  async #fill(target: Uint8Array): Promise<number> {
    let at = 0;
    while (at < target.length) {
      if (this.#buffered.length === 0) {
        const { value, done } = await this.#reader.read();
        if (done) break;
        this.#buffered = value;
      }
      const piece = this.#buffered.subarray(0, target.length - at);
      target.set(piece, at);
      at += piece.length;
      this.#buffered = this.#buffered.subarray(piece.length);
    }
    return at;
  }
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof header === "object" && header !== null) return { ...header };
  } catch {
    // Reported below.
  }
  throw new FrameError("a header is not a JSON object");
}

function areValidSizes(sizes: unknown, limits: FrameLimits): sizes is number[] {
  if (!Array.isArray(sizes) || sizes.length > limits.payloads) return false;
  if (!sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) return false;
  return sizes.reduce((sum, size) => sum + size, 0) <= limits.payloadBytes;
}
