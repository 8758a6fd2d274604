import { type DecodedFrame, FrameDecoder } from "@/lib/schemas/frame_decoder.ts";

/** A socket client that reads the start of a stream and then stops, so that bytes accumulate. */
export class StalledReader implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #buffer = new Uint8Array(256 * 1024);
  readonly #frames: DecodedFrame[] = [];
  readonly #decoder = new FrameDecoder();
  /** Bytes of the response, including its head. */
  bytes = 0;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Requests a stream and reads until the first frame. */
  static async open(
    url: string,
    { key, method, path, json }: { key: string; method: string; path: string; json?: unknown },
  ): Promise<StalledReader> {
    const { hostname, port, host } = new URL(url);
    const reader = new StalledReader(await Deno.connect({ hostname, port: Number(port) }));
    const body = json === undefined ? "" : JSON.stringify(json);
    const head = [
      // HTTP/1.0 responses are not chunked.
      `${method} ${path} HTTP/1.0`,
      `host: ${host}`,
      `authorization: Bearer ${key}`,
      "content-type: application/json",
      `content-length: ${new TextEncoder().encode(body).length}`,
    ];
    await reader.#connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${body}`));
    while (reader.#frames.length === 0 && await reader.#read());
    return reader;
  }

  get frames(): readonly DecodedFrame[] {
    return this.#frames;
  }

  /** Reads until the service closes the connection. */
  async rest(): Promise<void> {
    try {
      while (await this.#read());
    } catch {
      // The connection was dropped.
    }
  }

  async #read(): Promise<boolean> {
    const count = await this.#connection.read(this.#buffer);
    if (count === null) return false;
    this.bytes += count;
    this.#frames.push(...this.#decoder.push(this.#buffer.subarray(0, count)));
    return true;
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
