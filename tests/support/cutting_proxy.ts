/** A proxy on loopback that passes so many bytes of each connection's answers, and then cuts it. */
export class CuttingProxy implements AsyncDisposable {
  readonly #listener: Deno.TcpListener;
  readonly #next: () => { port: number; bytes: number };
  readonly #connections = new Set<Promise<void>>();
  readonly #open = new Set<Deno.Conn>();
  #cuts = 0;

  /** `next` says where each connection goes, and after how many bytes it is cut. */
  constructor(next: () => { port: number; bytes: number }) {
    this.#next = next;
    this.#listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    void this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** Answers that were cut so far. */
  get cuts(): number {
    return this.#cuts;
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      const connection = this.#serve(client).catch(() => {});
      this.#connections.add(connection);
      void connection.finally(() => this.#connections.delete(connection));
    }
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    const { port, bytes } = this.#next();
    const server = await Deno.connect({ port, hostname: "127.0.0.1" });
    for (const end of [client, server]) this.#open.add(end);
    const asking = client.readable.pipeTo(server.writable).catch(() => {});
    let left = bytes;
    const answer = server.readable.getReader();
    const out = client.writable.getWriter();
    try {
      while (left > 0) {
        const { value, done } = await answer.read();
        if (done) return;
        await out.write(value.subarray(0, left));
        left -= value.length;
      }
      this.#cuts++;
    } finally {
      for (const end of [client, server]) this.#close(end);
      await asking;
    }
  }

  #close(end: Deno.Conn): void {
    this.#open.delete(end);
    try {
      end.close();
    } catch {
      // Its stream has closed it already.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const end of this.#open) this.#close(end);
    await Promise.all(this.#connections);
  }
}
