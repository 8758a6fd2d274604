/** Where a connection goes, and when it is cut: after so many bytes, or after the event with a line. */
export type Cut = { port: number } & ({ bytes: number } | { after: string });

/** A proxy on loopback that passes each connection's answers up to a place, and then cuts it. */
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

  /** Answers that were cut so far. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Those of them that were made after an event. */
  get cutsAfter(): number {
    return this.#cutsAfter;
  }

  /** Cuts all connections as they stand. */
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
      // Its stream has closed it already.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const end of this.#open) this.#close(end);
    await Promise.all(this.#connections);
  }
}

/** A place so many bytes from the beginning. */
class ByteCount {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** How many of these next bytes lie before the place; `Infinity` when it is further on. */
  within({ length }: Uint8Array): number {
    const before = this.#left <= length ? this.#left : Infinity;
    this.#left -= length;
    return before;
  }
}

/** The place where the event with a line has come to its end. */
class EventEnd {
  readonly #line: string;
  #text = "";

  constructor(line: string) {
    this.#line = line;
  }

  within(bytes: Uint8Array): number {
    const before = this.#text.length;
    // One letter a byte, so that places in the text are places in the bytes.
    this.#text += new TextDecoder("latin1").decode(bytes);
    const at = this.#text.indexOf(this.#line);
    const end = at === -1 ? -1 : this.#text.indexOf("\n\n", at);
    return end === -1 ? Infinity : Math.max(0, end + 2 - before);
  }
}
