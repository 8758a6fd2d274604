import type { Logger } from "../../platform/log.ts";
import { PeriodicTask } from "../../platform/periodic_task.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** After the start, so that it does not compete with the first requests. */
const FIRST_AFTER_MS = 60_000;
const RETRY_MS = 600_000;

export interface ScheduledBackupsOptions {
  /** Time between backups. */
  everyMs: number;
  /** When the latest whole backup was made; `undefined` if there is none. */
  readLastBackup: () => Promise<number | undefined>;
  /** Makes a backup in a separate process; rejects with the reason if it fails. */
  makeBackup: (signal: AbortSignal) => Promise<void>;
  runtime: Runtime;
  log: Logger;
}

/** Makes backups while the service runs. A failed one is tried again after ten minutes at the latest. */
export class ScheduledBackups {
  readonly #options: ScheduledBackupsOptions;
  readonly #task: PeriodicTask;
  readonly #stopped = new AbortController();
  #delayMs = FIRST_AFTER_MS;

  constructor(options: ScheduledBackupsOptions) {
    this.#options = options;
    this.#task = new PeriodicTask(options.runtime, {
      everyMs: () => this.#delayMs,
      work: () => this.#run(),
    });
  }

  async start(): Promise<void> {
    const { everyMs, readLastBackup, runtime } = this.#options;
    const last = await readLastBackup().catch(() => undefined);
    if (this.#stopped.signal.aborted) return;
    // A time in the future is of a clock that was wrong: it would postpone the next backup.
    const isPast = last !== undefined && last <= runtime.now();
    this.#delayMs = Math.max(FIRST_AFTER_MS, (isPast ? last : 0) + everyMs - runtime.now());
    this.#task.start();
  }

  /** Ends a backup in progress. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#task.stop();
  }

  async #run(): Promise<void> {
    const { everyMs, makeBackup, runtime, log } = this.#options;
    const startedAt = runtime.now();
    try {
      await makeBackup(this.#stopped.signal);
      this.#delayMs = Math.min(everyMs, Math.max(0, startedAt + everyMs - runtime.now()));
      log.info("a backup was made", { durationMs: runtime.now() - startedAt });
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      this.#delayMs = Math.min(everyMs, RETRY_MS);
      log.error("a backup failed", { error });
    }
  }
}
