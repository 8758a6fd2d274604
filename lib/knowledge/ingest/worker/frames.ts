/**
 * The protocol between the service and a worker process. A frame is the length of its header in four
 * bytes (little endian), the header as JSON, and the payloads whose sizes the header lists.
 */

export interface Frame {
  /** Not validated. */
  header: Record<string, unknown>;
  payloads: Uint8Array<ArrayBuffer>[];
}

/** The most that a reader accepts. */
export interface FrameLimits {
  headerBytes: number;
  /** Of all payloads together. */
  payloadBytes: number;
  payloads: number;
}

/** The other side violates the protocol or exceeds a limit. */
export class FrameError extends Error {
  override name = "FrameError";
}

/** Encodes a frame as parts that are written in order. */
export function encodeFrame(
  header: Record<string, unknown>,
  payloads: readonly Uint8Array<ArrayBuffer>[] = [],
): Uint8Array<ArrayBuffer>[] {
  const sizes = payloads.map(({ length }) => length);
  const json = new TextEncoder().encode(JSON.stringify({ ...header, sizes }));
  const head = new Uint8Array(4 + json.length);
  new DataView(head.buffer).setUint32(0, json.length, true);
  head.set(json, 4);
  return [head, ...payloads];
}

export class FrameReader {
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Received bytes of the next read. */
  #buffered: Uint8Array = new Uint8Array();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** Reads the next frame; `undefined` at the end of the stream. Throws `FrameError`. */
  async read(limits: FrameLimits): Promise<Frame | undefined> {
    const prefix = new Uint8Array(4);
    const filled = await this.#fill(prefix);
    if (filled === 0) return undefined;
    if (filled < prefix.length) throw new FrameError("the stream ended inside a frame");
    const length = new DataView(prefix.buffer).getUint32(0, true);
    if (length > limits.headerBytes) throw new FrameError("a header is too large");
    const { sizes, ...header } = parseHeader(await this.#readExactly(length));
    if (!areValidSizes(sizes, limits)) throw new FrameError("the payloads are too large");
    const payloads: Uint8Array<ArrayBuffer>[] = [];
    for (const size of sizes) payloads.push(await this.#readExactly(size));
    return { header, payloads };
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  async #readExactly(size: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(size);
    if (await this.#fill(bytes) === size) return bytes;
    throw new FrameError("the stream ended inside a frame");
  }

  /** Returns the number of bytes read, which is less than asked for only at the end of the stream. */
  async #fill(target: Uint8Array): Promise<number> {
    let at = 0;
    while (at < target.length) {
      if (this.#buffered.length === 0) {
        const { value, done } = await this.#reader.read();
        if (done) break;
        this.#buffered = value;
      }
      const part = this.#buffered.subarray(0, target.length - at);
      target.set(part, at);
      at += part.length;
      this.#buffered = this.#buffered.subarray(part.length);
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
