import { Buffer } from "node:buffer";

/** In every answer of every server, the mock's first word is the first text a user sees. */
const FIRST_WORD = Buffer.from("word0");
const FRAME = Buffer.from("\ndata: ");
const OK = Buffer.from("HTTP/1.1 200 ");
/** A chunked body ends so; no request is sent before the last one's answer is whole. */
const END = Buffer.from("\r\n0\r\n\r\n");
/** One less than the mark's length: a mark cut by a read is found, and none is counted twice. */
const CARRY = FRAME.length - 1;
const READ_BYTES = 65_536;

/** What one chat was like; times in milliseconds since its request was sent. */
export interface ChatTimes {
  first: number;
  total: number;
  frames: number;
}

/**
 * One kept-alive connection that asks and watches for three marks in the bytes that come: anything
 * cleverer would take the CPU that the servers are measured with.
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

  /** Asks and reads the answer to its end; throws with its beginning unless it is an answer. */
  async ask(request: Uint8Array): Promise<ChatTimes> {
    const began = performance.now();
    await this.#write(request);
    const bytes = this.#bytes;
    const times: ChatTimes = { first: 0, total: 0, frames: 0 };
    for (let carried = 0, isHead = true;; isHead = false) {
      const read = await this.#connection.read(bytes.subarray(carried, carried + READ_BYTES));
      const seen = bytes.subarray(0, carried + (read ?? 0));
      if (read === null || (isHead && !seen.subarray(0, OK.length).equals(OK))) {
        throw notAnAnswer(seen);
      }
      if (times.first === 0 && seen.includes(FIRST_WORD)) times.first = performance.now() - began;
      times.frames += count(seen);
      if (seen.length >= END.length && seen.subarray(-END.length).equals(END)) break;
      carried = Math.min(CARRY, seen.length);
      bytes.copy(bytes, 0, seen.length - carried, seen.length);
    }
    times.total = performance.now() - began;
    if (times.first === 0) throw new Error("an answer without its first word");
    return times;
  }

  /** Asks and reads to the first word; the rest is left to come. */
  async open(request: Uint8Array): Promise<void> {
    await this.#write(request);
    for (let end = 0; end < READ_BYTES;) {
      const read = await this.#connection.read(this.#bytes.subarray(end));
      end += read ?? 0;
      const seen = this.#bytes.subarray(0, end);
      if (seen.includes(FIRST_WORD)) return;
      if (read === null || !seen.subarray(0, OK.length).equals(OK)) throw notAnAnswer(seen);
    }
    throw notAnAnswer(this.#bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

function notAnAnswer(seen: Buffer): Error {
  return new Error(`not an answer: ${seen.toString().slice(0, 600)}`);
}

function count(bytes: Buffer): number {
  let n = 0;
  for (let at = bytes.indexOf(FRAME); at !== -1; at = bytes.indexOf(FRAME, at + 1)) n++;
  return n;
}
