/** Delay and target of a proxy. */
export interface Delay {
  /** Loopback port that connections are forwarded to. */
  port: number;
  /** In each direction, in milliseconds. */
  delayMs: number;
}

/**
 * A loopback proxy that delays bytes in each direction, like a distant server. It does not limit the
 * bytes in flight.
 */
export class DelayingProxy implements AsyncDisposable {
  readonly #listener: Deno.TcpListener;
  readonly #to: Delay;
  readonly #open = new Set<Deno.TcpConn>();
  readonly #connections = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;

  constructor(to: Delay) {
    this.#to = to;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#accepting = this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      const connection = this.#carry(client).catch(() => {});
      this.#connections.add(connection);
      void connection.finally(() => this.#connections.delete(connection));
    }
  }

  async #carry(client: Deno.TcpConn): Promise<void> {
    this.#open.add(client);
    try {
      const server = await Deno.connect({ hostname: "127.0.0.1", port: this.#to.port });
      this.#open.add(server);
      // Nagle's algorithm would add delays.
      for (const end of [client, server]) end.setNoDelay(true);
      await Promise.all([this.#pass(client, server), this.#pass(server, client)]);
    } finally {
      this.#close(client);
    }
  }

  /** Forwards one direction until it ends, then closes the other one too. */
  async #pass(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
    let written = Promise.resolve();
    const buffer = new Uint8Array(65_536);
    try {
      for (let n = await from.read(buffer); n !== null; n = await from.read(buffer)) {
        const bytes = buffer.slice(0, n);
        const due = after(this.#to.delayMs);
        // Writes in order, each when due; a failed write is reported at the end.
        written = written.then(() => due).then(() => writeAll(to, bytes));
        written.catch(() => {});
      }
      await written;
    } catch {
      // One side has disconnected.
    } finally {
      this.#close(from);
      this.#close(to);
    }
  }

  #close(end: Deno.TcpConn): void {
    if (!this.#open.delete(end)) return;
    try {
      end.close();
    } catch {
      // The other side closed it first.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const end of this.#open) this.#close(end);
    await this.#accepting;
    await Promise.all(this.#connections);
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function writeAll(to: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}
