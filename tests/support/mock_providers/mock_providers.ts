import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { playScript } from "./play.ts";
import { brokenRule } from "./request_rules.ts";
import { type RawRequest, RequestReader } from "./raw_request.ts";
import type { ProtocolName, Script } from "./script.ts";

/** A received request. */
export interface MockRequest extends Omit<RawRequest, "body"> {
  protocol: ProtocolName;
  model: string;
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was sent
  body: any;
  /** Number of its connection, from 1. */
  connection: number;
  /** Resolves when the client closes the connection. */
  gone: Promise<void>;
}

export interface MockProvidersOptions {
  port?: number;
  /** The response when no script is left. */
  otherwise?: (request: MockRequest) => Script;
  /** The body of `GET /models`; without it, the list is 404. */
  models?: unknown;
}

/**
 * The three provider protocols on one port, distinguished by path, under any prefix. It writes raw TCP,
 * so that responses can be cut, slow or malformed in ways no HTTP server would produce. A request that
 * the real provider would reject is rejected, and uses up no script.
 */
export class MockProviders implements AsyncDisposable {
  readonly requests: MockRequest[] = [];
  readonly #server: Server;
  readonly #otherwise: (request: MockRequest) => Script;
  readonly #models: unknown;
  readonly #sockets = new Set<Socket>();
  readonly #scripts: Script[] = [];
  readonly #waiting: { n: number; resolve: (request: MockRequest) => void }[] = [];
  #connections = 0;

  private constructor(options: MockProvidersOptions) {
    this.#otherwise = options.otherwise ?? (() => ({}));
    this.#models = options.models;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#serve(socket);
    });
  }

  static async start(options: MockProvidersOptions = {}): Promise<MockProviders> {
    const mock = new MockProviders(options);
    await new Promise<void>((resolve) => {
      mock.#server.listen(options.port ?? 0, "127.0.0.1", () => resolve());
    });
    return mock;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** A base URL with a prefix, like those of compatible servers. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/some/prefix/v1`;
  }

  get connections(): number {
    return this.#connections;
  }

  /** Queues scripts for the next requests. */
  next(...scripts: Script[]): void {
    this.#scripts.push(...scripts);
  }

  /** The `n`-th request from 1, once it arrives. */
  asked(n: number): Promise<MockRequest> {
    const known = this.requests[n - 1];
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => this.#waiting.push({ n, resolve }));
  }

  /** Closes every connection, including idle ones. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.dropConnections();
    await closed;
  }

  #serve(socket: Socket): void {
    const connection = ++this.#connections;
    const reader = new RequestReader();
    const gone = Promise.withResolvers<void>();
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("end", () => {
      gone.resolve();
      socket.end();
    });
    socket.on("close", () => {
      gone.resolve();
      this.#sockets.delete(socket);
    });
    socket.on("data", (chunk: Uint8Array) => {
      reader.feed(chunk);
      for (let raw = reader.take(); raw !== undefined; raw = reader.take()) {
        if (raw.method === "GET" && this.#models !== undefined) {
          this.#listModels(socket);
          continue;
        }
        this.#answer(socket, describe(raw, { connection, gone: gone.promise }));
      }
    });
  }

  #listModels(socket: Socket): void {
    const body = JSON.stringify(this.#models);
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  }

  #answer(socket: Socket, request: MockRequest | undefined): void {
    if (request === undefined) {
      return void socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    }
    this.requests.push(request);
    for (const { n, resolve } of this.#waiting) if (n === this.requests.length) resolve(request);
    const { protocol, model, gone } = request;
    const body = brokenRule(request);
    const script = body !== undefined
      ? { status: 400, body }
      : this.#scripts.shift() ?? this.#otherwise(request);
    void playScript(socket, { protocol, model, script, gone });
  }
}

function describe(
  raw: RawRequest,
  more: { connection: number; gone: Promise<void> },
): MockRequest | undefined {
  const protocol = protocolOf(raw.path);
  if (protocol === undefined || raw.method !== "POST") return undefined;
  const body = JSON.parse(raw.body);
  const named = /models\/([^:]+):/.exec(raw.path)?.[1];
  return { ...raw, ...more, protocol, body, model: body.model ?? decodeURIComponent(named ?? "") };
}

function protocolOf(path: string): ProtocolName | undefined {
  if (/\/(chat\/completions|embeddings)$/.test(path)) return "openai";
  if (path.endsWith("/messages")) return "anthropic";
  return /:(streamGenerateContent\?alt=sse|batchEmbedContents)$/.test(path) ? "google" : undefined;
}
