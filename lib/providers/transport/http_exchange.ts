import { Buffer } from "node:buffer";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type Runtime, setTimer } from "../../platform/runtime.ts";
import { ProviderError } from "../provider_error.ts";
import type { ConnectionPool, PostRequest } from "./connection_pool.ts";

export interface HttpExchangeOptions {
  pool: ConnectionPool;
  post: PostRequest;
  runtime: Pick<Runtime, "now" | "sleep">;
  signal: AbortSignal;
  /** Longest time to a connection, its TLS handshake included. */
  connectMs: number;
  /** Longest silence of the vendor before the head of its answer. */
  responseMs: number;
  /** Longest silence inside its answer. */
  idleMs: number;
}

/** Who reads a response: called for each network chunk, and once at its end. */
export interface ResponseListener {
  onChunk(chunk: Uint8Array): void;
  /** `fault` says why the response ended before it was whole. */
  onEnd(fault: unknown): void;
}

/** Chunks that are more in all are not taken in one piece. */
const MAX_BUFFERED_BYTES = 65_536;
/** Bytes a vendor may still send after an answer was told complete, before it is cut off. */
const MAX_TRAILING_BYTES = 65_536;

/**
 * One request and its response on one socket. It ends by itself, by silence, or when the signal
 * aborts, which closes the socket at once. It throws the signal's reason or a `ProviderError`.
 */
export class HttpExchange {
  readonly #request: ClientRequest;
  readonly #options: HttpExchangeOptions;
  readonly #head = Promise.withResolvers<IncomingMessage>();
  #isOver = false;
  /** Calls the watch for silence off. */
  #cancelTimer: () => void = () => {};
  #response: IncomingMessage | undefined;
  #listener: ResponseListener | undefined;
  /** Chunks of this turn of the loop. */
  #buffered: Uint8Array[] = [];
  #bufferedBytes = 0;
  #error: unknown;
  /** Whether its socket was one kept from before; unknown while it has none. */
  #reused: boolean | undefined;
  #connected = false;
  #abandoned = false;
  /** From then on what still trickles in is no sign of life. */
  #released = false;
  #lastByteAt: number;
  #headAt: number;

  constructor(options: HttpExchangeOptions) {
    this.#options = options;
    this.#lastByteAt = options.runtime.now();
    this.#headAt = this.#lastByteAt;
    this.#request = options.pool.post(options.post);
    this.#request.on("socket", (socket) => this.#onSocket(socket));
    this.#request.once("response", (response) => this.#onResponse(response));
    this.#request.on("error", (error) => this.#onConnectionLost(error));
    this.#request.once("close", () => {
      if (this.#response === undefined) this.#onConnectionLost();
    });
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#head.promise.catch(() => {});
    this.#startTimer();
  }

  /** The response as soon as its headers are there. */
  get head(): Promise<IncomingMessage> {
    return this.#head.promise;
  }

  /** When the head came, in milliseconds since the epoch. */
  get respondedAt(): number {
    return this.#headAt;
  }

  /** Whether we hung up on a vendor that had the request and had not answered yet: it may bill it. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** Begins to read the response; until then nothing of its body is taken from the socket. */
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

  /** What came in many small pieces goes on as one: each would cost a turn of all that reads it. */
  #buffer(chunk: Uint8Array): void {
    if (this.#bufferedBytes + chunk.byteLength > MAX_BUFFERED_BYTES) this.#flush();
    // Who has just been handed a piece may have had enough.
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
   * Nobody listens any more; a response that soon ends leaves its connection to the next request. The
   * last chunk may have gone on after the answer's end by as much as `trailingBytes`.
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

  /** Closes the socket; who listens is told `fault`. */
  destroy(fault?: unknown): void {
    this.#abandoned ||= !this.#isOver && this.#connected && this.#response === undefined;
    this.#end(fault);
    this.#request.destroy();
  }

  readonly #onAbort = () => this.destroy(this.#options.signal.reason);

  /**
   * Deno sends a request again by itself when a kept connection dies before the head: a second request
   * that nobody counts and the vendor may bill. Only our own retries ask again.
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
    this.#headAt = this.#lastByteAt;
    this.#response = response;
    response.on("error", (error) => this.#onConnectionLost(error));
    response.once("close", () => this.#onConnectionLost());
    this.#head.resolve(response);
  }

  /** The first end counts: what follows is only its echo on the socket. */
  #end(fault: unknown): void {
    this.#flush();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = fault;
    this.#cancelTimer();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#head.reject(fault);
    this.#listener?.onEnd(fault);
  }

  /** Every whole response closes as well, so the fault is only made where there is one. */
  #onConnectionLost(cause?: Error): void {
    if (!this.#isOver) this.#end(this.#connectionError(cause));
  }

  #connectionError(cause: Error | undefined): ProviderError {
    if (this.#response !== undefined) {
      return new ProviderError("provider_error", "the model vendor broke off its answer", {
        cause,
        retry: "later",
      });
    }
    const retry = this.#reused ? "now" : "later";
    return new ProviderError("provider_error", "the model vendor could not be reached", {
      cause,
      retry,
    });
  }

  /** One timer for a whole stretch of silence, not one per chunk. */
  #startTimer(): void {
    const { runtime, connectMs, responseMs } = this.#options;
    this.#cancelTimer = setTimer(runtime, Math.min(connectMs, responseMs), () => {
      if (this.#connected) return this.#checkIdle();
      this.destroy(timeoutError("did not accept a connection in time"));
    });
  }

  #checkIdle(): void {
    const { runtime } = this.#options;
    const rest = this.#remainingMs();
    if (rest <= 0) return this.destroy(timeoutError("fell silent"));
    this.#cancelTimer = setTimer(runtime, rest, () => this.#checkIdle());
  }

  /** A response that we paused is not silent. */
  #remainingMs(): number {
    const { runtime, responseMs, idleMs } = this.#options;
    if (this.#response?.isPaused()) return idleMs;
    const longest = this.#response === undefined ? responseMs : idleMs;
    return this.#lastByteAt + longest - runtime.now();
  }
}

function timeoutError(what: string): ProviderError {
  return new ProviderError("provider_timeout", `the model vendor ${what}`);
}

/** A credential with characters that no header may hold is the operator's slip, not our fault. */
export function openHttpExchange(options: HttpExchangeOptions): HttpExchange {
  try {
    return new HttpExchange(options);
  } catch (cause) {
    const message = "the model vendor cannot be asked with the credential of its slot";
    throw new ProviderError("provider_error", message, { cause });
  }
}

/** The whole body of an answer as text; throws a `ProviderError` for one that breaks off or never ends. */
export async function readResponseBody(
  exchange: HttpExchange,
  { mostBytes }: { mostBytes: number },
): Promise<string> {
  const whole = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  let text = "";
  let left = mostBytes;
  exchange.listen({
    onChunk: (chunk) => {
      left -= chunk.byteLength;
      if (left >= 0) {
        text += decoder.decode(chunk, { stream: true });
        return;
      }
      const message = "the model vendor's answer is too long";
      exchange.destroy(new ProviderError("provider_error", message));
    },
    onEnd: (fault) => fault === undefined ? whole.resolve() : whole.reject(fault),
  });
  await whole.promise;
  return text + decoder.decode();
}
