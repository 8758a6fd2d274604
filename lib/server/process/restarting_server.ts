import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** The delay before a restart; it doubles with each failure. */
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/** Ends after its current requests. */
export interface Stoppable {
  shutdown(): Promise<void>;
}

type Server<Addr extends Deno.Addr> = Deno.HttpServer<Addr>;

type RestartingServerDeps = { name: string; log: Logger; runtime: Pick<Runtime, "now" | "sleep"> };

/**
 * `Deno.serve` stops when it cannot accept a connection, as without file descriptors, and the
 * unhandled failure would end the process and its streams. Here streams continue, idle connections
 * close, which frees descriptors, and the server listens again at the same address after a delay.
 */
export class RestartingServer<Addr extends Deno.Addr> implements Stoppable {
  readonly addr: Addr;
  #listen: (address?: Addr) => Server<Addr>;
  #deps: RestartingServerDeps;
  /** The current server, and earlier ones with pending requests. */
  #servers = new Set<Server<Addr>>();
  #stopping = new AbortController();
  #backoffMs = MIN_BACKOFF_MS;
  #listeningSince = 0;

  /** Calls `listen` now, rethrowing its errors, and for each restart with the first address. */
  constructor(listen: (address?: Addr) => Server<Addr>, deps: RestartingServerDeps) {
    this.#listen = listen;
    this.#deps = deps;
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
    const drained = failed.shutdown().catch(() => {}).then(() => this.#servers.delete(failed));
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    log.error(`${name}: accept failed; restarting the listener`, { error });
    if (runtime.now() - this.#listeningSince >= MAX_BACKOFF_MS) this.#backoffMs = MIN_BACKOFF_MS;
    while (!signal.aborted && !await this.#tryListen()) {
      log.error(`${name}: restarting the listener failed; retrying`);
    }
    await drained;
  }

  async #tryListen(): Promise<boolean> {
    const { name, log, runtime } = this.#deps;
    const { signal } = this.#stopping;
    const delay = this.#backoffMs;
    this.#backoffMs = Math.min(2 * delay, MAX_BACKOFF_MS);
    await runtime.sleep(delay, signal).catch(() => {});
    if (signal.aborted) return false;
    try {
      this.#track(this.#listen(this.addr));
    } catch {
      return false;
    }
    log.warn(`${name}: the listener has restarted`);
    return true;
  }
}
