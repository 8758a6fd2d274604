/** The target port, and when to cut: after a number of bytes, or after the event with a line. */
export type Cut = { port: number } & ({ bytes: number } | { after: string });

/** A loopback proxy that forwards each response up to a place and then cuts the connection. */
export class CuttingProxy implements AsyncDisposable {
  readonly #listener: Deno.TcpListener;
  readonly #next: () => Cut;
  readonly #connections = new Set<Promise<void>>();
  readonly #open = new Set<Deno.Conn>();
  #cuts = 0;
  #cutsAfter = 0;

  constructor(next: () => Cut) {
    this.#next = next;
    this.#listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    void this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** Responses cut so far. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Responses cut after an event. */
  get cutsAfter(): number {
    return this.#cutsAfter;
  }

  /** Cuts all open connections. */
  cut(): void {
    if (this.#open.size > 0) this.#cuts++;
    for (const end of this.#open) this.#close(end);
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      const connection = this.#serve(client).catch(() => {});
      this.#connections.add(connection);
      void connection.finally(() => this.#connections.delete(connection));
    }
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    const { port, ...cut } = this.#next();
    const server = await Deno.connect({ port, hostname: "127.0.0.1" });
    for (const end of [client, server]) this.#open.add(end);
    const asking = client.readable.pipeTo(server.writable).catch(() => {});
    const place = "after" in cut ? new EventEnd(cut.after) : new ByteCount(cut.bytes);
    const answer = server.readable.getReader();
    const out = client.writable.getWriter();
    try {
      for (let passes = Infinity; passes === Infinity;) {
        const { value, done } = await answer.read();
        if (done) return;
        passes = place.within(value);
        await out.write(value.subarray(0, passes));
      }
      this.#cuts++;
      if ("after" in cut) this.#cutsAfter++;
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
      // The stream has already closed it.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const end of this.#open) this.#close(end);
    await Promise.all(this.#connections);
  }
}

/** A cut after a number of bytes. */
class ByteCount {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** How many of the next bytes come before the cut; `Infinity` if all do. */
  within({ length }: Uint8Array): number {
    const before = this.#left <= length ? this.#left : Infinity;
    this.#left -= length;
    return before;
  }
}

/** A cut at the end of the event with a line. */
class EventEnd {
  readonly #line: string;
  #text = "";

  constructor(line: string) {
    this.#line = line;
  }

  within(bytes: Uint8Array): number {
    const before = this.#text.length;
    // One character per byte, so that text indexes are byte indexes.
    this.#text += new TextDecoder("latin1").decode(bytes);
    const at = this.#text.indexOf(this.#line);
    const end = at === -1 ? -1 : this.#text.indexOf("\n\n", at);
    return end === -1 ? Infinity : Math.max(0, end + 2 - before);
  }
}
