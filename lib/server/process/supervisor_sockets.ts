import type { Runtime } from "../../platform/runtime.ts";
import { serveStore } from "../../store/shared/store_server.ts";
import { readySocket, storeSocket } from "./server_place.ts";
import { StartupError } from "./startup_error.ts";

/** A socket's path must fit `sockaddr_un` of Linux: 108 bytes with a zero. */
const MAX_PATH_BYTES = 107;
/** The pause after a connection could not be accepted, as without file descriptors. */
const RETRY_MS = 100;

/** Where the server processes of a supervisor find the store, and report that they are ready. */
export interface SupervisorSockets {
  /** The port on which the first server process serves requests, once it does. */
  readonly ready: Promise<number>;
  /** Ends all connections and removes the folder. */
  close(): Promise<void>;
}

/**
 * Listens on sockets in `dir`, which only this user may enter. Replaces the folder, so the caller must be
 * its only user. Without `kv`, connections to the store only show that this process is alive.
 */
export async function openSupervisorSockets(
  dir: string,
  { kv, runtime }: { kv: Deno.Kv | undefined; runtime: Pick<Runtime, "sleep"> },
): Promise<SupervisorSockets> {
  if (new TextEncoder().encode(readySocket(dir)).length > MAX_PATH_BYTES) {
    throw new StartupError(`${dir} is too long for a socket: point DATA_DIR at a shorter path`);
  }
  await Deno.remove(dir, { recursive: true }).catch(ignoreMissing);
  await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
  const ready = Promise.withResolvers<number>();
  const connections = new Set<Deno.Conn>();
  const serve = async (conn: Deno.Conn) => {
    connections.add(conn);
    await (kv === undefined ? readToEnd(conn) : serveStore(kv, conn));
    connections.delete(conn);
  };
  const accepting = [
    acceptAll(storeSocket(dir), { runtime, onConnection: (conn) => void serve(conn) }),
    acceptAll(readySocket(dir), {
      runtime,
      onConnection: (conn) =>
        void readPort(conn).then((port) => port > 0 && ready.resolve(port), () => {}),
    }),
  ];
  return {
    ready: ready.promise,
    close: async () => {
      await Promise.all(accepting.map((close) => close()));
      for (const conn of connections) closeIfOpen(conn);
      await Deno.remove(dir, { recursive: true }).catch(ignoreMissing);
    },
  };
}

/** Accepts connections until the function that it returns is called. */
function acceptAll(path: string, { onConnection, runtime }: {
  onConnection: (conn: Deno.Conn) => void;
  runtime: Pick<Runtime, "sleep">;
}): () => Promise<void> {
  const listener = Deno.listen({ transport: "unix", path });
  let isOpen = true;
  const accept = async () => {
    while (isOpen) {
      try {
        onConnection(await listener.accept());
      } catch {
        if (isOpen) await runtime.sleep(RETRY_MS);
      }
    }
  };
  const ended = accept();
  return async () => {
    isOpen = false;
    listener.close();
    await ended;
  };
}

/** 0 if the process ended before it sent its port. */
async function readPort(conn: Deno.Conn): Promise<number> {
  return Number(await new Response(conn.readable).text());
}

async function readToEnd(conn: Deno.Conn): Promise<void> {
  try {
    while (await conn.read(new Uint8Array(1)) !== null);
    conn.close();
  } catch {
    // Closed here.
  }
}

function closeIfOpen(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
