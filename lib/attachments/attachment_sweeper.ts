import type { Logger } from "../platform/log.ts";
import { PeriodicTask } from "../platform/periodic_task.ts";
import type { Runtime } from "../platform/runtime.ts";
import { sweepAttachments } from "../store/attachments/attachment_eraser.ts";

/** Expired attachments cannot be read, so nothing depends on when they are deleted. */
const MIN_PAUSE_MS = 60_000;
/** An upload expires after an hour, so none is missed by much. */
const MAX_PAUSE_MS = 60 * 60_000;
const FIRST_PAUSE_MS = 10 * 60_000;

/** Deletes expired attachments, and finishes what a crash interrupted. Any process may do it. */
export class AttachmentSweeper {
  readonly #kv: Deno.Kv;
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #task: PeriodicTask;
  #pauseMs = FIRST_PAUSE_MS;
  /** When the next sweep is due, milliseconds; the first is at once. */
  #nextAt = 0;

  constructor(kv: Deno.Kv, { runtime, log }: { runtime: Runtime; log: Logger }) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#log = log;
    this.#task = new PeriodicTask(runtime, {
      everyMs: () => this.#pauseMs,
      work: () => this.sweep(),
    });
  }

  start(): void {
    this.#task.start();
  }

  /** For hosts that wake a process every minute: sweeps only if something may be due. */
  async sweepIfDue(): Promise<void> {
    if (this.#runtime.now() >= this.#nextAt) await this.sweep();
  }

  async sweep(): Promise<void> {
    try {
      const next = await sweepAttachments(this.#kv, this.#runtime);
      const pause = (next ?? Infinity) - this.#runtime.now();
      this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pause));
    } catch (error) {
      this.#pauseMs = MIN_PAUSE_MS;
      this.#log.error("could not delete expired attachments", { error });
    }
    this.#nextAt = this.#runtime.now() + this.#pauseMs;
  }

  async close(): Promise<void> {
    await this.#task.stop();
  }
}
