import { Buffer } from "node:buffer";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type Runtime, setTimer } from "../../platform/runtime.ts";
import { ProviderError } from "../provider_error.ts";
import type { ConnectionPool, ProviderRequest } from "./connection_pool.ts";

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
  pool: ConnectionPool;
  post: ProviderRequest;
  runtime: Pick<Runtime, "now" | "sleep">;
  signal: AbortSignal;
}

export interface ResponseListener {
  onChunk(chunk: Uint8Array): void;
  /** Called once; `error` is set if the response is incomplete. */
  onEnd(error: unknown): void;
}

/** Limit for chunks that are combined. */
const MAX_BUFFERED_BYTES = 65_536;
/** Bytes accepted after the end of a response before the connection is closed. */
const MAX_TRAILING_BYTES = 65_536;

/**
 * One request and its response on one socket. Times out by itself; an abort closes the socket
 * immediately. Fails with the signal's reason or a `ProviderError`.
 */
export class HttpExchange {
  readonly head: Promise<IncomingMessage>;
  /** When the headers arrived, in milliseconds since the epoch. */
  respondedAt: number;
  /** Whether we disconnected after the request was sent and before a response: it may be billed. */
  abandoned = false;
  readonly #request: ClientRequest;
  readonly #options: HttpExchangeOptions;
  readonly #head = Promise.withResolvers<IncomingMessage>();
  #isOver = false;
  #cancelTimer: () => void = () => {};
  #response: IncomingMessage | undefined;
  #listener: ResponseListener | undefined;
  #buffered: Uint8Array[] = [];
  #bufferedBytes = 0;
  #error: unknown;
  /** Whether the socket served an earlier request; `undefined` before there is one. */
  #reused: boolean | undefined;
  #connected = false;
  /** After a release, trailing bytes do not extend the timeout. */
  #released = false;
  #lastByteAt: number;

  constructor(options: HttpExchangeOptions) {
    this.#options = options;
    this.#lastByteAt = options.runtime.now();
    this.respondedAt = this.#lastByteAt;
    this.#request = options.pool.send(options.post);
    this.#request.on("socket", (socket) => this.#onSocket(socket));
    this.#request.once("response", (response) => this.#onResponse(response));
    this.#request.on("error", (error) => this.#onConnectionLost(error));
    this.#request.once("close", () => {
      if (this.#response === undefined) this.#onConnectionLost();
    });
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.head = this.#head.promise;
    this.head.catch(() => {});
    this.#startTimer();
  }

  /** Begins to read the response; before, its body stays in the socket. */
  listen(listener: ResponseListener): void {
    const response = this.#response;
    if (response === undefined) throw new Error("a response is read after its head");
    this.#listener = listener;
    if (this.#isOver) return listener.onEnd(this.#error);
    response.on("data", (chunk: Uint8Array) => {
      if (!this.#released) this.#lastByteAt = this.#options.runtime.now();
      this.#buffer(chunk);
    });
    response.once("end", () => this.#end(undefined));
  }

  /** Combines the chunks that arrive in one turn of the event loop. */
  #buffer(chunk: Uint8Array): void {
    if (this.#bufferedBytes + chunk.byteLength > MAX_BUFFERED_BYTES) this.#flush();
    // The listener may have ended the exchange.
    if (this.#isOver) return;
    this.#bufferedBytes += chunk.byteLength;
    if (this.#buffered.push(chunk) === 1) queueMicrotask(this.#flush);
  }

  readonly #flush = () => {
    const chunks = this.#buffered;
    if (chunks.length === 0) return;
    this.#buffered = [];
    this.#bufferedBytes = 0;
    this.#listener?.onChunk(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  };

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#lastByteAt = this.#options.runtime.now();
    this.#response?.resume();
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
    this.resume();
    this.#released = true;
  }

  /** Closes the socket; the listener receives `error`. */
  destroy(error?: unknown): void {
    this.abandoned ||= !this.#isOver && this.#connected && this.#response === undefined;
    this.#end(error);
    this.#request.destroy();
  }

  readonly #onAbort = () => this.destroy(this.#options.signal.reason);

  /**
   * If a reused connection dies before the headers, Deno repeats the request on a second socket, which
   * the provider may bill without us counting it. Only our own retries may do that.
   */
  #onSocket(socket: Socket): void {
    if (this.#reused !== undefined) {
      this.#onConnectionLost();
      socket.destroy();
      this.#request.destroy();
      return;
    }
    this.#reused = this.#request.reusedSocket;
    if (this.#reused) return this.#onConnected();
    const { secure } = this.#options.pool;
    socket.once(secure ? "secureConnect" : "connect", this.#onConnected);
  }

  readonly #onConnected = () => {
    this.#connected = true;
  };

  #onResponse(response: IncomingMessage): void {
    this.#connected = true;
    this.#lastByteAt = this.#options.runtime.now();
    this.respondedAt = this.#lastByteAt;
    this.#response = response;
    response.on("error", (error) => this.#onConnectionLost(error));
    response.once("close", () => this.#onConnectionLost());
    this.#head.resolve(response);
  }

  /** The first end counts; others are its consequences. */
  #end(error: unknown): void {
    this.#flush();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#cancelTimer();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#head.reject(error);
    this.#listener?.onEnd(error);
  }

  /** Also called after a complete response, when there is no error to create. */
  #onConnectionLost(cause?: Error): void {
    if (this.#isOver) return;
    const [message, retry] = this.#response !== undefined
      ? ["the model provider broke off its answer", "later"] as const
      : ["the model provider could not be reached", this.#reused ? "now" : "later"] as const;
    this.#end(new ProviderError("provider_error", message, { cause, retry }));
  }

  /** One timer for the whole wait instead of one per chunk. */
  #startTimer(): void {
    const { runtime, connectMs, responseMs } = this.#options;
    this.#cancelTimer = setTimer(runtime, Math.min(connectMs, responseMs), () => {
      if (this.#connected) return this.#checkIdle();
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
    if (this.#response?.isPaused()) return idleMs;
    const limit = this.#response === undefined ? responseMs : idleMs;
    return this.#lastByteAt + limit - runtime.now();
  }

  #timeOut(reason: string): void {
    this.destroy(new ProviderError("provider_timeout", `the model provider ${reason}`));
  }
}
