import { acceptedBy } from "../linux_sockets.ts";

/**
 * An address of its own for one of several processes that listen on one port: connections to the relay go
 * to that process. The kernel decides which process gets a connection, so it connects until it fits.
 */
export class WorkerRelay implements AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly #port: number;
  readonly #pids: () => Promise<number[]>;
  readonly #listener: Deno.TcpListener;
  readonly #accepting: Promise<void>;
  readonly #piping = new Set<Promise<void>>();
  readonly #open = new Set<Deno.Conn>();

  /** `pids` returns all processes that listen on `port`. */
  constructor({ pid, port, pids }: { pid: number; port: number; pids: () => Promise<number[]> }) {
    this.pid = pid;
    this.#port = port;
    this.#pids = pids;
    this.#listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    this.url = `http://127.0.0.1:${this.#listener.addr.port}`;
    this.#accepting = this.#accept();
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      const piping = this.#pipe(client).finally(() => this.#piping.delete(piping));
      this.#piping.add(piping);
    }
  }

  async #pipe(client: Deno.TcpConn): Promise<void> {
    this.#open.add(client);
    const worker = await this.#dial();
    if (worker === undefined) return void closeQuietly(client);
    this.#open.add(worker);
    // A stream that ends early closes both, as a connection without the relay would.
    await Promise.allSettled([copy(client, worker), copy(worker, client)]);
    for (const conn of [client, worker]) {
      this.#open.delete(conn);
      closeQuietly(conn);
    }
  }

  /** A connection to the process; `undefined` if it has ended. */
  async #dial(): Promise<Deno.TcpConn | undefined> {
    while (true) {
      const conn = await connect(this.#port);
      if (conn === undefined) {
        if ((await this.#pids()).includes(this.pid)) continue;
        return undefined;
      }
      const clientPort = (conn.localAddr as Deno.NetAddr).port;
      let owner: number | undefined;
      while (owner === undefined) {
        const pids = await this.#pids();
        if (!pids.includes(this.pid)) {
          conn.close();
          return undefined;
        }
        owner = await acceptedBy({ port: this.#port, clientPort }, pids);
      }
      if (owner === this.pid) return conn;
      conn.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const conn of this.#open) closeQuietly(conn);
    await this.#accepting;
    await Promise.all(this.#piping);
  }
}

/** `undefined` if the process that would have accepted it was killed meanwhile. */
async function connect(port: number): Promise<Deno.TcpConn | undefined> {
  return await Deno.connect({ port, hostname: "127.0.0.1" }).catch(() => undefined);
}

/** Copies until either end closes, and then closes both. */
async function copy(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
  try {
    const buffer = new Uint8Array(16_384);
    for (let count; (count = await from.read(buffer)) !== null;) {
      for (let at = 0; at < count;) at += await to.write(buffer.subarray(at, count));
    }
  } finally {
    closeQuietly(from);
    closeQuietly(to);
  }
}

function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
