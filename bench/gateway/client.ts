import { Buffer } from "node:buffer";

/** The mock's first word: the first text that a user sees, from every server. */
const FIRST_WORD = Buffer.from("word0");
const FRAME = Buffer.from("\ndata: ");
const OK = Buffer.from("HTTP/1.1 200 ");
/** The end of a chunked body; a request is sent only after the previous answer is complete. */
const END = Buffer.from("\r\n0\r\n\r\n");
/** One less than the marker's length: a marker split across reads is found, and none is counted twice. */
const CARRY = FRAME.length - 1;
const READ_BYTES = 65_536;

/** The times of one chat, in milliseconds since its request was sent. */
export interface ChatTimes {
  first: number;
  total: number;
  frames: number;
}

/**
 * One kept-alive connection that sends requests and searches the received bytes for three markers:
 * anything more elaborate would take CPU time from the servers that are measured.
 */
export class ChatClient implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #bytes = Buffer.alloc(CARRY + READ_BYTES);

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async connect(port: number): Promise<ChatClient> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    return new ChatClient(connection);
  }

  /**
   * Sends a chat and reads its answer to the end; an error quotes the start of an unexpected response.
   * Adds to `gaps` the milliseconds between received frames; those that arrive together count as one.
   */
  async chat(request: Uint8Array, gaps?: number[]): Promise<ChatTimes> {
    const startedAt = performance.now();
    await this.#write(request);
    const bytes = this.#bytes;
    const times: ChatTimes = { first: 0, total: 0, frames: 0 };
    let previousAt = 0;
    for (let carried = 0, isHead = true;; isHead = false) {
      const read = await this.#connection.read(bytes.subarray(carried, carried + READ_BYTES));
      const received = bytes.subarray(0, carried + (read ?? 0));
      if (read === null || (isHead && !received.subarray(0, OK.length).equals(OK))) {
        throw unexpectedResponse(received);
      }
      if (times.first === 0 && received.includes(FIRST_WORD)) {
        times.first = performance.now() - startedAt;
      }
      const frames = count(received);
      times.frames += frames;
      if (gaps !== undefined && frames > 0) {
        const now = performance.now();
        if (previousAt > 0) gaps.push(now - previousAt);
        previousAt = now;
      }
      if (received.length >= END.length && received.subarray(-END.length).equals(END)) break;
      carried = Math.min(CARRY, received.length);
      bytes.copy(bytes, 0, received.length - carried, received.length);
    }
    times.total = performance.now() - startedAt;
    if (times.first === 0) throw new Error("an answer without its first word");
    return times;
  }

  /** Sends a chat and reads its answer up to the first word. */
  async open(request: Uint8Array): Promise<void> {
    await this.#write(request);
    for (let end = 0; end < READ_BYTES;) {
      const read = await this.#connection.read(this.#bytes.subarray(end));
      end += read ?? 0;
      const received = this.#bytes.subarray(0, end);
      if (received.includes(FIRST_WORD)) return;
      if (read === null || !received.subarray(0, OK.length).equals(OK)) {
        throw unexpectedResponse(received);
      }
    }
    throw unexpectedResponse(this.#bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

function unexpectedResponse(received: Buffer): Error {
  return new Error(`unexpected response: ${received.toString().slice(0, 600)}`);
}

function count(bytes: Buffer): number {
  let n = 0;
  for (let at = bytes.indexOf(FRAME); at !== -1; at = bytes.indexOf(FRAME, at + 1)) n++;
  return n;
}
