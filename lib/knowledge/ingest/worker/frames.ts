/**
 * The protocol between the service and a worker process. A frame is the length of its header in four
 * bytes (little endian), the header as JSON, and the payloads whose sizes the header lists.
 */

export interface Frame {
  /** Not validated. */
  header: Record<string, unknown>;
  payloads: Uint8Array<ArrayBuffer>[];
}

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
  #reader: ReadableStreamBYOBReader;

  /** Expects a byte stream. */
  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader({ mode: "byob" });
  }

  /** Reads the next frame; `undefined` at the end of the stream. Throws `FrameError`. */
  async read(limits: FrameLimits): Promise<Frame | undefined> {
    const prefix = await this.#read(4);
    if (prefix.length === 0) return undefined;
    if (prefix.length < 4) throw new FrameError("the stream ended inside a frame");
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
    const bytes = await this.#read(size);
    if (bytes.length === size) return bytes;
    throw new FrameError("the stream ended inside a frame");
  }

  /** Returns fewer bytes only at the end of the stream. */
  async #read(size: number): Promise<Uint8Array<ArrayBuffer>> {
    if (size === 0) return new Uint8Array();
    const { value } = await this.#reader.read(new Uint8Array(size), { min: size });
    return value ?? new Uint8Array();
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
