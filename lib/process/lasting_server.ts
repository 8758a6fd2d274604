import type { Logger } from "../log.ts";
import type { System } from "../system.ts";

/** How long after a failure it is listened again, at first and at most. */
const FIRST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 5_000;

/** What can be told to end, after the requests it has begun with. */
export interface Stoppable {
  shutdown(): Promise<void>;
}

type Server<Addr extends Deno.Addr> = Deno.HttpServer<Addr>;

interface Parts {
  /** What listens, for the log. */
  name: string;
  log: Logger;
  system: Pick<System, "now" | "sleep">;
}

/**
 * A server that outlives its socket. `Deno.serve` gives up for good when it cannot accept, as when
 * the process has no file descriptor left, and an end that nobody handles ends the process with
 * every stream of it. Streams under way go on; connections at rest are closed, which frees what was
 * missing, and after a pause it listens again at the same address.
 */
export class LastingServer<Addr extends Deno.Addr> implements Stoppable {
  readonly addr: Addr;
  #listen: (again?: Addr) => Server<Addr>;
  #parts: Parts;
  /** All that have requests left, the one that listens among them. */
  #servers = new Set<Server<Addr>>();
  #stopping = new AbortController();
  #pauseMs = FIRST_PAUSE_MS;
  #since = 0;

  /** `listen` is called at once, and throws whatever prevents it; later with the first's address. */
  constructor(listen: (again?: Addr) => Server<Addr>, parts: Parts) {
    this.#listen = listen;
    this.#parts = parts;
    this.addr = this.#begin(listen()).addr;
  }

  async shutdown(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#servers].map((server) => server.shutdown()));
  }

  #begin(server: Server<Addr>): Server<Addr> {
    this.#servers.add(server);
    this.#since = this.#parts.system.now();
    server.finished.catch((error) => this.#goOn(server, error));
    return server;
  }

  async #goOn(failed: Server<Addr>, error: unknown): Promise<void> {
    const { name, log, system } = this.#parts;
    const ended = failed.shutdown().catch(() => {}).then(() => this.#servers.delete(failed));
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    log.error(`${name} cannot take connections: it listens again soon`, { error });
    if (system.now() - this.#since >= MOST_PAUSE_MS) this.#pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted && !await this.#listensAgain()) {
      log.error(`${name} could not listen again: it tries once more`);
    }
    await ended;
  }

  async #listensAgain(): Promise<boolean> {
    const { name, log, system } = this.#parts;
    const { signal } = this.#stopping;
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(2 * pause, MOST_PAUSE_MS);
    await system.sleep(pause, signal).catch(() => {});
    if (signal.aborted) return false;
    try {
      this.#begin(this.#listen(this.addr));
    } catch {
      return false;
    }
    log.warn(`${name} listens again`);
    return true;
  }
}
