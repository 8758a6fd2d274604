import { type ConnectionTarget, ProviderConnection } from "./provider_connection.ts";

/** Idle connections kept for reuse; the number of busy ones is not limited. */
const MAX_IDLE_CONNECTIONS = 128;

export interface ProviderRequest {
  /** Relative to the base URL, with query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** JSON; a request without a body is a GET. */
  body?: Uint8Array;
  /** Default: `text/event-stream`. */
  accept?: string;
}

/** The keep-alive connections to one provider. They ignore proxies: prompts and keys go to it alone. */
export class ConnectionPool {
  readonly #target: ConnectionTarget;
  readonly #host: string;
  readonly #prefix: string;
  readonly #idle: ProviderConnection[] = [];
  readonly #busy = new Set<ProviderConnection>();
  #maxIdle = MAX_IDLE_CONNECTIONS;

  constructor(baseUrl: string) {
    const url = new URL(baseUrl);
    const secure = url.protocol === "https:";
    this.#target = {
      // Sockets expect an IPv6 address without brackets.
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (secure ? 443 : 80),
      secure,
    };
    this.#host = url.host;
    this.#prefix = url.pathname.replace(/\/+$/, "");
  }

  /**
   * The bytes of a request. Throws a `TypeError` if a header or the path has a character that could end
   * it. Redirects are not followed, so the API key stays with this host.
   */
  encode({ path, headers, body, accept = "text/event-stream" }: ProviderRequest): Uint8Array {
    const target = this.#prefix + path;
    if (!/^[\x21-\x7e]+$/.test(target)) throw new TypeError("a path that a request cannot hold");
    const all: Record<string, string> = {
      host: this.#host,
      ...headers,
      ...body && { "content-type": "application/json", "content-length": `${body.byteLength}` },
      accept,
      "accept-encoding": "identity",
    };
    const lines = Object.entries(all).map(([name, value]) => headerLine(name, value));
    const method = body === undefined ? "GET" : "POST";
    const head = latin1(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
    if (body === undefined) return head;
    const bytes = new Uint8Array(head.byteLength + body.byteLength);
    bytes.set(head);
    bytes.set(body, head.byteLength);
    return bytes;
  }

  /** The connection that was used last, or a new one. */
  take(): { connection: ProviderConnection; isReused: boolean } {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isClosed) continue;
      this.#busy.add(idle);
      return { connection: idle, isReused: true };
    }
    const connection = new ProviderConnection(this.#target);
    this.#busy.add(connection);
    return { connection, isReused: false };
  }

  /** Keeps a connection whose response was read completely. */
  keep(connection: ProviderConnection): void {
    this.#busy.delete(connection);
    if (connection.isClosed) return;
    connection.isPaced = false;
    connection.resume();
    connection.setListener({
      // No request asked for them.
      onBytes: () => this.#forget(connection),
      onClosed: () => this.#forget(connection),
    });
    this.#idle.push(connection);
    if (this.#idle.length > this.#maxIdle) this.#idle.shift()!.close();
  }

  /** Closes a connection that cannot be used again. */
  drop(connection: ProviderConnection): void {
    this.#busy.delete(connection);
    connection.close();
  }

  #forget(connection: ProviderConnection): void {
    connection.close();
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
  }

  /** Closes idle connections now and the others once they are idle. */
  retire(): void {
    this.#maxIdle = 0;
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  /** Closes all connections, also those in use. */
  close(): void {
    this.retire();
    for (const connection of [...this.#busy]) connection.lose();
  }
}

function headerLine(name: string, value: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw new TypeError("a header that a request cannot hold");
  }
  return `${name}: ${value}\r\n`;
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
