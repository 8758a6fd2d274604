import { openSharedStore } from "@/lib/store/shared/store_client.ts";
import { serveStore } from "@/lib/store/shared/store_server.ts";
import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import type { SharedStore } from "./shared_store.ts";

/** A store that is served on a Unix socket, as worker processes use it. */
export class ServedStore implements AsyncDisposable {
  /** The folder of the socket. */
  readonly dir: string;
  readonly path: string;
  readonly #listener: Deno.UnixListener;
  readonly #connections: Deno.Conn[] = [];
  readonly #served: Promise<void>[] = [];
  readonly #accepting: Promise<void>;

  private constructor(kv: Deno.Kv, dir: string) {
    this.dir = dir;
    this.path = `${dir}/store.sock`;
    this.#listener = Deno.listen({ transport: "unix", path: this.path });
    this.#accepting = this.#accept(kv);
  }

  static async open(kv: Deno.Kv): Promise<ServedStore> {
    return new ServedStore(kv, await Deno.makeTempDir());
  }

  /** A client with a connection of its own. */
  async connect(onLost: (error: Error) => void = () => {}): Promise<Deno.Kv> {
    return openSharedStore(await this.dial(), { onLost });
  }

  /** A connection that the test speaks on itself. */
  dial(): Promise<Deno.UnixConn> {
    return Deno.connect({ transport: "unix", path: this.path });
  }

  /** Breaks the connections of all clients. */
  disconnect(): void {
    for (const conn of this.#connections.splice(0)) closeQuietly(conn);
  }

  /** Resolves when the server has noticed the end of every connection. */
  async ended(): Promise<void> {
    await Promise.all(this.#served);
  }

  async #accept(kv: Deno.Kv): Promise<void> {
    for await (const conn of this.#listener) {
      this.#connections.push(conn);
      this.#served.push(serveStore(kv, conn));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    this.disconnect();
    await this.ended();
    await Deno.remove(this.dir, { recursive: true });
  }
}

/** An in-memory store over a socket; each handle has its own connection, as a worker process has. */
export async function servedStore(): Promise<SharedStore> {
  await using owned = new AsyncDisposableStack();
  const kv = owned.use(await Deno.openKv(":memory:"));
  const served = owned.use(await ServedStore.open(kv));
  const handles = owned.use(new DisposableStack());
  const open = async () => handles.use(withValueEncoding(await served.connect()));
  const resources = owned.move();
  const dispose = () => resources.disposeAsync();
  return { open, dir: served.dir, env: {}, alone: false, [Symbol.asyncDispose]: dispose };
}

function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
