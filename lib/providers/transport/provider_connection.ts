import { afterFrameInterval } from "../../platform/frame_interval.ts";
import { verifiesCertificates } from "./verifies_certificates.ts";

/** Where a provider listens. */
export interface ConnectionTarget {
  host: string;
  port: number;
  /** Over TLS. */
  secure: boolean;
}

export interface ConnectionListener {
  /** The bytes of one read, in a buffer that the next read overwrites. */
  onBytes(bytes: Uint8Array): void;
  /** The provider has closed the connection; `error` if it failed instead. Called at most once. */
  onClosed(error?: unknown): void;
}

/** How a slow stream is read; tests replace it. */
export interface ReadPace {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls `callback` after the time between two reads. */
  afterInterval(callback: () => void): void;
}

const FRAME_PACE: ReadPace = {
  now: () => performance.now(),
  afterInterval: afterFrameInterval,
};

/** Enough for the pieces of a slow stream: most of an open stream's memory would be an empty buffer. */
const SMALL_BUFFER_BYTES = 2_048;
/** Used from the first read that fills the small one. */
const BUFFER_BYTES = 16_384;
/** A read that waited longer found a provider that is slower than this process. */
const SLOW_READ_MS = 4;
/** As many slow reads in a row make a slow stream. */
const SLOW_READS = 2;

/**
 * One connection to a provider on a raw socket. It reads all the time, also while it is idle, so that it
 * knows at once when the provider closes it. `Deno.connect` costs a third of what `node:http` does for a
 * response that comes in small pieces (measured).
 */
export class ProviderConnection {
  /** Rejects if the connection cannot be opened, and when it is closed before it is open. */
  readonly opened: Promise<void>;
  /**
   * Whether a slow stream may be read in intervals: pieces that come a few milliseconds apart are then
   * read together, which saves most of their cost.
   */
  isPaced = false;
  readonly #target: ConnectionTarget;
  readonly #pace: ReadPace;
  readonly #cancelConnect = new AbortController();
  #conn: Deno.Conn | undefined;
  #isClosed = false;
  #listener: ConnectionListener | undefined;
  #resumed: PromiseWithResolvers<void> | undefined;
  #slowReads = 0;
  #sending: Promise<void> = Promise.resolve();
  #unsentWrites = 0;

  constructor(target: ConnectionTarget, pace: ReadPace = FRAME_PACE) {
    this.#target = target;
    this.#pace = pace;
    this.opened = this.#open();
    this.opened.catch(() => {});
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether bytes are still to be sent. */
  get isSending(): boolean {
    return this.#unsentWrites > 0;
  }

  get isPaused(): boolean {
    return this.#resumed !== undefined;
  }

  /** Who receives what arrives from now on; bytes without a listener close the connection. */
  setListener(listener: ConnectionListener | undefined): void {
    this.#listener = listener;
  }

  /** Sends all bytes, in the order of the calls. */
  write(bytes: Uint8Array): void {
    const conn = this.#conn;
    if (conn === undefined || this.#isClosed) throw new Error("the connection is not open");
    this.#unsentWrites++;
    this.#sending = this.#sending.then(() => writeAll(conn, bytes))
      .then(() => void this.#unsentWrites--, (error) => this.#onLost(error));
  }

  pause(): void {
    this.#resumed ??= Promise.withResolvers();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  /** Closes the socket immediately; the listener is not called. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener = undefined;
    this.#cancelConnect.abort(CLOSED);
    this.resume();
    closeQuietly(this.#conn);
  }

  async #open(): Promise<void> {
    const { host, port, secure } = this.#target;
    const { signal } = this.#cancelConnect;
    const tcp = await Deno.connect({ hostname: host, port, signal });
    this.#conn = tcp;
    this.#throwIfClosed();
    // Small requests leave at once, and a provider that vanished without a word is noticed.
    tcp.setNoDelay(true);
    tcp.setKeepAlive(true);
    if (secure) this.#conn = await this.#startTls(tcp);
    this.#throwIfClosed();
    void this.#read(this.#conn);
  }

  async #startTls(tcp: Deno.TcpConn): Promise<Deno.TlsConn> {
    const { host } = this.#target;
    if (!await verifiesCertificates(host)) {
      tcp.close();
      throw new Error(
        "certificates are not verified: start without --unsafely-ignore-certificate-errors",
      );
    }
    this.#throwIfClosed();
    const tls = await Deno.startTls(tcp, { hostname: host });
    this.#conn = tls;
    this.#throwIfClosed();
    await tls.handshake();
    return tls;
  }

  #throwIfClosed(): void {
    if (!this.#isClosed) return;
    closeQuietly(this.#conn);
    throw CLOSED;
  }

  async #read(conn: Deno.Conn): Promise<void> {
    let buffer = new Uint8Array(SMALL_BUFFER_BYTES);
    try {
      while (!this.#isClosed) {
        if (this.#resumed !== undefined) await this.#resumed.promise;
        const askedAt = this.isPaced ? this.#pace.now() : 0;
        const size = await conn.read(buffer);
        if (this.#isClosed) return;
        if (size === null) return this.#onLost();
        const isFull = size === buffer.byteLength;
        if (askedAt !== 0) this.#countSlowReads(isFull, this.#pace.now() - askedAt);
        this.#onBytes(buffer.subarray(0, size));
        if (isFull && size < BUFFER_BYTES) buffer = new Uint8Array(BUFFER_BYTES);
        if (!this.isPaced) this.#slowReads = 0;
        else if (this.#slowReads >= SLOW_READS) await this.#waitForInterval();
      }
    } catch (error) {
      this.#onLost(error);
    }
  }

  #onBytes(bytes: Uint8Array): void {
    if (this.#listener === undefined) this.close();
    else this.#listener.onBytes(bytes);
  }

  /** A stream is slow once two reads in a row had to wait, until one fills the buffer. */
  #countSlowReads(isFull: boolean, waitedMs: number): void {
    if (isFull) this.#slowReads = 0;
    else if (waitedMs > SLOW_READ_MS) this.#slowReads++;
    else if (this.#slowReads < SLOW_READS) this.#slowReads = 0;
  }

  #waitForInterval(): Promise<void> {
    return new Promise((resolve) => this.#pace.afterInterval(resolve));
  }

  /** Closes the socket as if the provider had: the listener is called. */
  lose(): void {
    this.#onLost(new Error("the connection was closed on our side"));
  }

  #onLost(error?: unknown): void {
    if (this.#isClosed) return;
    const listener = this.#listener;
    this.close();
    listener?.onClosed(error);
  }
}

const CLOSED = new Error("the connection was closed");

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.byteLength;) sent += await conn.write(bytes.subarray(sent));
}

/** A TLS socket that takes over a TCP socket leaves an object whose close fails. */
function closeQuietly(conn: Deno.Conn | undefined): void {
  try {
    conn?.close();
  } catch {
    // Closed already.
  }
}
