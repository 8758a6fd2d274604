import type { Logger } from "../../platform/log.ts";
import { CANCELLED, type Runtime } from "../../platform/runtime.ts";

/** The delay before a process is replaced; it doubles with each process that ends soon. */
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** A process that has not ended this long after the stop signal and its drain time is killed. */
const KILL_AFTER_MS = 9_500;

type Status = Pick<Deno.CommandStatus, "success" | "code" | "signal">;

export interface ServerProcess {
  readonly status: Promise<Status>;
  /** May throw for a process that has ended. */
  kill(signal: Deno.Signal): void;
}

export interface SupervisorOptions {
  /** How many processes serve requests at a time. */
  count: number;
  start(place: { number: number; isFirst: boolean }): ServerProcess;
  /** Resolves when the first process serves requests. */
  ready: Promise<void>;
  /** How long a process serves on after the stop signal. */
  drainMs: number;
  log: Logger;
  runtime: Pick<Runtime, "now" | "sleep">;
}

/**
 * Keeps server processes running. The first one runs alone until it is ready: it settles what an earlier
 * start left, and if it cannot start, neither could the others.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Set<ServerProcess>();
  readonly #stopping = new AbortController();
  #exitCode = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Returns the exit code, when all processes have ended after `stopped`. */
  async run(stopped: Promise<void>): Promise<number> {
    const ended = Promise.withResolvers<void>();
    void stopped.then(() => this.#stop(ended.promise));
    const first = this.#start(1, { isFirst: true });
    const failed = await Promise.race([first.status, this.#options.ready]);
    if (failed !== undefined && !this.#stopping.signal.aborted) return failed.code || 1;
    const numbers = Array.from({ length: this.#options.count }, (_, n) => n + 1);
    await Promise.all(
      numbers.map((number) => this.#keep(number, number === 1 ? first : undefined)),
    );
    ended.resolve();
    return this.#exitCode;
  }

  /** Runs process `number`, and replaces it each time it ends. */
  async #keep(number: number, started: ServerProcess | undefined): Promise<void> {
    const { log, runtime } = this.#options;
    const { signal } = this.#stopping;
    let backoffMs = MIN_BACKOFF_MS;
    let process = started;
    while (process !== undefined || !signal.aborted) {
      const startedAt = runtime.now();
      process ??= this.#start(number);
      const status = await process.status;
      process = undefined;
      if (signal.aborted) {
        if (!endedCleanly(status)) this.#exitCode = 1;
        return;
      }
      if (runtime.now() - startedAt >= MAX_BACKOFF_MS) backoffMs = MIN_BACKOFF_MS;
      const { code, signal: killedBy } = status;
      log.error("a server process ended; starting another", { number, code, killedBy, backoffMs });
      await runtime.sleep(backoffMs, signal).catch(() => {});
      backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS);
    }
  }

  #start(number: number, { isFirst = false } = {}): ServerProcess {
    const process = this.#options.start({ number, isFirst });
    this.#running.add(process);
    void process.status.then(() => this.#running.delete(process));
    return process;
  }

  async #stop(ended: Promise<void>): Promise<void> {
    const { drainMs, log, runtime } = this.#options;
    this.#stopping.abort(CANCELLED);
    this.#signalAll("SIGTERM");
    await Promise.race([ended, runtime.sleep(drainMs + KILL_AFTER_MS)]);
    if (this.#running.size === 0) return;
    log.error("killing server processes that did not end", { count: this.#running.size });
    this.#signalAll("SIGKILL");
  }

  #signalAll(signal: Deno.Signal): void {
    for (const process of this.#running) {
      try {
        process.kill(signal);
      } catch {
        // It has ended.
      }
    }
  }
}

/** A stop signal ends a process only while it starts; later it drains and exits by itself. */
function endedCleanly({ success, signal }: Status): boolean {
  return success || signal === "SIGTERM" || signal === "SIGINT" || signal === "SIGHUP";
}
