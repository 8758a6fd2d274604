import type { Logger } from "../../../platform/log.ts";
import { KNOWLEDGE_BOUNDS } from "../../../schemas/limits.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import type { Job, JobResult } from "./job_messages.ts";
import { MAX_IN_PROCESS_BYTES, runJobInProcess } from "./run_job_in_process.ts";
import { type WorkerCommand, WorkerDiedError, WorkerProcess } from "./worker_process.ts";

/** Without the start of a process. */
const JOB_TIMEOUT_MS = 20_000;
/** Bounds what parsers leak. */
const MAX_JOBS_PER_PROCESS = 200;
/** Far below the limit of CPU time. */
const MAX_WORK_MS_PER_PROCESS = 30_000;
/** An idle process holds some 60 MB. */
const IDLE_MS = 60_000;

export interface WorkerPoolOptions {
  /** `undefined` if the platform cannot start processes. */
  command: WorkerCommand | undefined;
  log: Logger;
  jobTimeoutMs?: number;
  idleMs?: number;
}

type JobOptions = { tenant: string; signal?: AbortSignal | undefined };

type IdleWorker = { process: WorkerProcess; tenant: string };

/**
 * Parses documents in worker processes. An idle process is reused for the same tenant only: a document
 * that took over its process could read and change those of other tenants.
 */
export class WorkerPool {
  #options: WorkerPoolOptions;
  #idle: IdleWorker[] = [];
  #busy = new Set<WorkerProcess>();
  #command: WorkerCommand | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#command = options.command;
  }

  get pids(): number[] {
    return [...this.#busy, ...this.#idle.map(({ process }) => process)].map(({ pid }) => pid);
  }

  /** The largest document that can be parsed; small if no processes can be started. */
  get maxDocumentBytes(): number {
    return this.#command === undefined ? MAX_IN_PROCESS_BYTES : KNOWLEDGE_BOUNDS.documentBytes;
  }

  /**
   * Runs one job. Throws `DocumentParseError` if it exceeds its limits, or the reason of the signal;
   * the process has then ended.
   */
  async run(job: Job, options: JobOptions): Promise<JobResult> {
    options.signal?.throwIfAborted();
    const process = await this.#acquire(options.tenant);
    if (process === undefined) return await runJobInProcess(job);
    const isNew = process.jobs === 0;
    try {
      return await this.#runIn(process, job, options);
    } catch (error) {
      if (!(error instanceof WorkerDiedError)) throw error;
      // In a used process, an earlier document may be the cause: retry in another one.
      if (!isNew) return await this.run(job, options);
      throw toParseError(error);
    }
  }

  /** Kills all processes; pending jobs fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const busy = [...this.#busy].map((process) => process.terminate());
    await Promise.all([...busy, this.#terminateIdle()]);
  }

  async #runIn(
    process: WorkerProcess,
    job: Job,
    { tenant, signal }: JobOptions,
  ): Promise<JobResult> {
    this.#busy.add(process);
    try {
      const timeMs = this.#options.jobTimeoutMs ?? JOB_TIMEOUT_MS;
      const result = await process.run(job, { signal, timeMs });
      await this.#release({ process, tenant });
      return result;
    } finally {
      this.#busy.delete(process);
    }
  }

  /** A process for the tenant; `undefined` if none can be started. */
  async #acquire(tenant: string): Promise<WorkerProcess | undefined> {
    const at = this.#idle.findLastIndex((one) => one.tenant === tenant);
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (idle?.process.alive) return idle.process;
    // A new process replaces an idle one, so that there are never more than concurrent jobs.
    await this.#idle.shift()?.process.terminate();
    if (this.#command === undefined) return undefined;
    try {
      return new WorkerProcess(this.#command);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      this.#command = undefined;
      const message =
        "no process can be started: documents are limited, and PDFs, spreadsheets and books are rejected";
      this.#options.log.warn(message, { error });
      return undefined;
    }
  }

  async #release({ process, tenant }: IdleWorker): Promise<void> {
    const isSpent = process.jobs >= MAX_JOBS_PER_PROCESS ||
      process.workedMs >= MAX_WORK_MS_PER_PROCESS;
    if (this.#closed || isSpent) return await process.terminate();
    this.#idle.push({ process, tenant });
    clearTimeout(this.#idleTimer);
    const idleMs = this.#options.idleMs ?? IDLE_MS;
    this.#idleTimer = setTimeout(() => void this.#terminateIdle(), idleMs);
    Deno.unrefTimer(this.#idleTimer);
  }

  async #terminateIdle(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await Promise.all(this.#idle.splice(0).map(({ process }) => process.terminate()));
  }
}

/** Whether starting a process will always fail, unlike for lack of memory or file descriptors. */
function isUnsupported(error: unknown): boolean {
  return [
    Deno.errors.NotSupported,
    Deno.errors.NotFound,
    Deno.errors.NotCapable,
    Deno.errors.PermissionDenied,
    TypeError,
  ].some((type) => error instanceof type);
}

/** Exceeded limits of memory and CPU time end a process by a signal. */
function toParseError({ signal }: WorkerDiedError): DocumentParseError {
  if (signal === null) return new DocumentParseError("damaged", "it is damaged and cannot be read");
  return new DocumentParseError("too_complex", "reading it took too much memory or time");
}
