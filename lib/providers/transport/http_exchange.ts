import { type Runtime, setTimer } from "../../platform/runtime.ts";
import { ProviderError } from "../provider_error.ts";
import type { ConnectionPool, ProviderRequest } from "./connection_pool.ts";
import { HttpResponseParser, type ResponseHead } from "./http_response_parser.ts";
import type { ProviderConnection } from "./provider_connection.ts";

/** Timeouts in milliseconds. */
export interface ProviderTimeouts {
  /** Until the connection is open, including the TLS handshake. */
  connectMs: number;
  /** Until the headers of the response. */
  responseMs: number;
  /** Between two chunks of the response. */
  idleMs: number;
}

export interface HttpExchangeOptions extends ProviderTimeouts {
  pool: Pick<ConnectionPool, "encode" | "take" | "keep" | "drop">;
  post: ProviderRequest;
  runtime: Pick<Runtime, "now" | "sleep">;
  signal: AbortSignal;
}

export interface ResponseListener {
  /** `chunk` is valid only during the call. */
  onChunk(chunk: Uint8Array): void;
  /** Called once; `error` is set if the response is incomplete. */
  onEnd(error: unknown): void;
}

/** Bytes accepted after the end of a response before the connection is closed. */
const MAX_TRAILING_BYTES = 65_536;

/**
 * One request and its response on one connection. Times out by itself; an abort closes the connection
 * immediately. Fails with the signal's reason or a `ProviderError`.
 */
export class HttpExchange {
  readonly head: Promise<ResponseHead>;
  /** In milliseconds since the epoch. */
  readonly startedAt: number;
  /** When the headers arrived, in milliseconds since the epoch. */
  respondedAt: number;
  /** Whether we disconnected after the request was sent and before a response: it may be billed. */
  abandoned = false;
  /** Without the request: a prompt may be long, and the answer may take minutes. */
  readonly #options: Omit<HttpExchangeOptions, "post">;
  readonly #connection: ProviderConnection;
  /** Whether the connection has served an earlier request. */
  readonly #isReused: boolean;
  readonly #parser: HttpResponseParser;
  readonly #head = Promise.withResolvers<ResponseHead>();
  #hasHead = false;
  #isConnected = false;
  #isOver = false;
  #error: unknown;
  #cancelTimer: () => void = () => {};
  #listener: ResponseListener | undefined;
  /** The body's bytes that came before there was a listener. */
  #early: Uint8Array[] = [];
  /** After a release, trailing bytes do not extend the timeout. */
  #isReleased = false;
  #lastByteAt: number;

  /** Throws a `TypeError` if the request cannot be encoded. */
  constructor(options: HttpExchangeOptions) {
    const { post, ...kept } = options;
    const { pool, runtime, signal } = kept;
    this.#options = kept;
    this.startedAt = runtime.now();
    this.#lastByteAt = this.startedAt;
    this.respondedAt = this.startedAt;
    const bytes = pool.encode(post);
    this.#parser = new HttpResponseParser({
      onHead: (head) => this.#onHead(head),
      onBody: (chunk) => this.#onBody(chunk),
      onEnd: () => this.#end(undefined),
    });
    const { connection, isReused } = pool.take();
    this.#connection = connection;
    this.#isReused = isReused;
    connection.setListener({
      onBytes: (received) => this.#onBytes(received),
      onClosed: (error) => this.#onClosed(error),
    });
    this.head = this.#head.promise;
    this.head.catch(() => {});
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#startTimer();
    if (isReused) this.#send(bytes);
    else connection.opened.then(() => this.#send(bytes), (error) => this.#onConnectionLost(error));
  }

  #send(bytes: Uint8Array): void {
    if (this.#isOver) return;
    this.#isConnected = true;
    this.#connection.write(bytes);
  }

  /** Begins to read the response; before, its body stays in the socket. */
  listen(listener: ResponseListener): void {
    if (!this.#hasHead) throw new Error("a response is read after its head");
    const wasOver = this.#isOver;
    this.#listener = listener;
    for (const chunk of this.#early.splice(0)) {
      // The listener may have replaced itself or ended the exchange.
      if (wasOver || !this.#isOver) this.#listener.onChunk(chunk);
    }
    if (wasOver) this.#listener.onEnd(this.#error);
    else if (!this.#isOver) this.#connection.resume();
  }

  pause(): void {
    if (!this.#isOver) this.#connection.pause();
  }

  resume(): void {
    this.#lastByteAt = this.#options.runtime.now();
    if (!this.#isOver) this.#connection.resume();
  }

  /** Whether a slow response may be read in intervals instead of piece by piece. */
  set isPaced(isPaced: boolean) {
    if (!this.#isOver) this.#connection.isPaced = isPaced;
  }

  /**
   * Stops listening, but keeps the connection for reuse if the response ends soon. `trailingBytes` of
   * the last chunk may already be past the end.
   */
  release(trailingBytes: number): void {
    let left = MAX_TRAILING_BYTES - trailingBytes;
    this.#listener = {
      onChunk: (chunk) => {
        left -= chunk.byteLength;
        if (left < 0) this.destroy();
      },
      onEnd: () => {},
    };
    this.isPaced = false;
    this.resume();
    this.#isReleased = true;
  }

  /** Closes the connection; the listener receives `error`. */
  destroy(error?: unknown): void {
    this.abandoned ||= !this.#isOver && this.#isConnected && !this.#hasHead;
    this.#end(error);
  }

  readonly #onAbort = () => this.destroy(this.#options.signal.reason);

  #onBytes(bytes: Uint8Array): void {
    try {
      this.#parser.feed(bytes);
    } catch (error) {
      this.#onConnectionLost(error);
    }
  }

  #onClosed(error: unknown): void {
    try {
      if (error === undefined) this.#parser.feedEnd();
      else this.#onConnectionLost(error);
    } catch (cause) {
      this.#onConnectionLost(cause);
    }
  }

  #onHead(head: ResponseHead): void {
    this.#hasHead = true;
    this.#lastByteAt = this.#options.runtime.now();
    this.respondedAt = this.#lastByteAt;
    this.#connection.pause();
    this.#head.resolve(head);
  }

  #onBody(chunk: Uint8Array): void {
    if (!this.#isReleased) this.#lastByteAt = this.#options.runtime.now();
    if (this.#isOver) return;
    if (this.#listener === undefined) this.#early.push(chunk.slice());
    else this.#listener.onChunk(chunk);
  }

  /** The first end counts; others are its consequences. */
  #end(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#cancelTimer();
    const { pool, signal } = this.#options;
    signal.removeEventListener("abort", this.#onAbort);
    // A provider that answered before it had the whole request will not read the rest.
    const isReusable = this.#parser.isReusable && !this.#connection.isSending;
    if (isReusable) pool.keep(this.#connection);
    else pool.drop(this.#connection);
    this.#head.reject(error);
    this.#listener?.onEnd(error);
  }

  #onConnectionLost(cause?: unknown): void {
    const [message, retry] = this.#hasHead
      ? ["the model provider broke off its answer", "later"] as const
      : ["the model provider could not be reached", this.#isReused ? "now" : "later"] as const;
    this.#end(new ProviderError("provider_error", message, { cause, retry }));
  }

  /** One timer for the whole wait instead of one per chunk. */
  #startTimer(): void {
    const { runtime, connectMs, responseMs } = this.#options;
    this.#cancelTimer = setTimer(runtime, Math.min(connectMs, responseMs), () => {
      if (this.#isConnected) return this.#checkIdle();
      this.#timeOut("did not accept a connection in time");
    });
  }

  #checkIdle(): void {
    const remainingMs = this.#remainingMs();
    if (remainingMs <= 0) return this.#timeOut("fell silent");
    this.#cancelTimer = setTimer(this.#options.runtime, remainingMs, () => this.#checkIdle());
  }

  /** A response that we paused does not time out. */
  #remainingMs(): number {
    const { runtime, responseMs, idleMs } = this.#options;
    if (this.#connection.isPaused) return idleMs;
    const limit = this.#hasHead ? idleMs : responseMs;
    return this.#lastByteAt + limit - runtime.now();
  }

  #timeOut(reason: string): void {
    this.destroy(new ProviderError("provider_timeout", `the model provider ${reason}`));
  }
}
