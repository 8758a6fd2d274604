import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** How long after a failure it is listened again, at first and at most. */
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/** What can be told to end, after the requests it has begun with. */
export interface Stoppable {
  shutdown(): Promise<void>;
}

type Server<Addr extends Deno.Addr> = Deno.HttpServer<Addr>;

interface RestartingServerDeps {
  /** What listens, for the log. */
  name: string;
  log: Logger;
  runtime: Pick<Runtime, "now" | "sleep">;
}

/**
 * A server that outlives its socket. `Deno.serve` gives up for good when it cannot accept, as when
 * the process has no file descriptor left, and an end that nobody handles ends the process with
 * every stream of it. Streams under way go on; connections at rest are closed, which frees what was
 * missing, and after a pause it listens again at the same address.
 */
export class RestartingServer<Addr extends Deno.Addr> implements Stoppable {
  readonly addr: Addr;
  #listen: (again?: Addr) => Server<Addr>;
  #deps: RestartingServerDeps;
  /** All that have requests left, the one that listens among them. */
  #servers = new Set<Server<Addr>>();
  #stopping = new AbortController();
  #backoffMs = MIN_BACKOFF_MS;
  #listeningSince = 0;

  /** `listen` is called at once, and throws whatever prevents it; later with the first's address. */
  constructor(listen: (again?: Addr) => Server<Addr>, parts: RestartingServerDeps) {
    this.#listen = listen;
    this.#deps = parts;
    this.addr = this.#track(listen()).addr;
  }

  async shutdown(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#servers].map((server) => server.shutdown()));
  }

  #track(server: Server<Addr>): Server<Addr> {
    this.#servers.add(server);
    this.#listeningSince = this.#deps.runtime.now();
    server.finished.catch((error) => this.#recover(server, error));
    return server;
  }

  async #recover(failed: Server<Addr>, error: unknown): Promise<void> {
    const { name, log, runtime } = this.#deps;
    const ended = failed.shutdown().catch(() => {}).then(() => this.#servers.delete(failed));
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    log.error(`${name} cannot take connections: it listens again soon`, { error });
    if (runtime.now() - this.#listeningSince >= MAX_BACKOFF_MS) this.#backoffMs = MIN_BACKOFF_MS;
    while (!signal.aborted && !await this.#tryListen()) {
      log.error(`${name} could not listen again: it tries once more`);
    }
    await ended;
  }

  async #tryListen(): Promise<boolean> {
    const { name, log, runtime } = this.#deps;
    const { signal } = this.#stopping;
    const pause = this.#backoffMs;
    this.#backoffMs = Math.min(2 * pause, MAX_BACKOFF_MS);
    await runtime.sleep(pause, signal).catch(() => {});
    if (signal.aborted) return false;
    try {
      this.#track(this.#listen(this.addr));
    } catch {
      return false;
    }
    log.warn(`${name} listens again`);
    return true;
  }
}
