/** A proxy between client and service that drops connections. */
export class LosingProxy implements AsyncDisposable {
  readonly url: string;
  /** Dropped connections. */
  cut = 0;
  #listener: Deno.TcpListener;
  #upstream: number;
  #budgets: number[];
  #open = new Set<Deno.TcpConn>();
  #serving: Promise<void>;

  /** Cuts each connection after this many response bytes. */
  constructor(upstream: string, { cuts }: { cuts: readonly number[] }) {
    this.#upstream = Number(new URL(upstream).port);
    this.#budgets = [...cuts];
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.url = `http://127.0.0.1:${this.#listener.addr.port}`;
    this.#serving = this.#serve();
  }

  async #serve(): Promise<void> {
    for await (const client of this.#listener) void this.#carry(client);
  }

  async #carry(client: Deno.TcpConn): Promise<void> {
    const service = await Deno.connect({ hostname: "127.0.0.1", port: this.#upstream });
    const budget = this.#budgets.shift() ?? Infinity;
    for (const one of [client, service]) this.#open.add(one);
    const asking = client.readable.pipeTo(service.writable).catch(() => {});
    const writer = client.writable.getWriter();
    let left = budget;
    try {
      for await (const bytes of service.readable) {
        await writer.write(bytes.subarray(0, left));
        left -= bytes.length;
        if (left <= 0) break;
      }
    } catch {
      // One side has disconnected, so close the other.
    }
    if (left <= 0) this.cut++;
    for (const one of [client, service]) this.#close(one);
    await asking;
  }

  #close(connection: Deno.TcpConn): void {
    this.#open.delete(connection);
    try {
      connection.close();
    } catch {
      // The other side closed it.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const one of this.#open) this.#close(one);
    await this.#serving;
  }
}
