import type { Logger } from "../../../platform/log.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import type { Job, JobResult } from "./job_messages.ts";
import { KNOWLEDGE_BOUNDS } from "../../../schemas/limits.ts";
import { MAX_IN_PROCESS_BYTES, runJobInProcess } from "./run_job.ts";
import { type WorkerCommand, WorkerDiedError, WorkerProcess } from "./worker_process.ts";

/** What one job may take, start-up not counted. */
const JOB_TIMEOUT_MS = 20_000;
/** What parsers leave behind ends with their process, and so is bounded. */
const MAX_JOBS_PER_PROCESS = 200;
/** Keeps a process far from its limit of CPU time. */
const MAX_WORK_MS_PER_PROCESS = 30_000;
/** An idle process holds some 60 MB. */
const IDLE_MS = 60_000;

export interface WorkerPoolOptions {
  /** How worker processes are started; `undefined` where no process can be. */
  command: WorkerCommand | undefined;
  log: Logger;
  /** What one job may take, milliseconds. */
  jobTimeoutMs?: number;
  /** How long a process is kept for the next job, milliseconds. */
  idleMs?: number;
}

/** Whose document it is, and when it is no longer wanted. */
export interface JobOptions {
  tenant: string;
  signal?: AbortSignal;
}

interface IdleWorker {
  process: WorkerProcess;
  tenant: string;
}

/**
 * Parses documents in processes of their own. One that has done a job is kept warm for the next of the
 * same tenant: a document that took its process over could otherwise read and change another tenant's.
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

  /** The ids of the processes that there are. */
  get pids(): number[] {
    return [...this.#busy, ...this.#idle.map(({ process }) => process)].map(({ pid }) => pid);
  }

  /** The largest document that can be read: without processes, only small ones can. */
  get maxDocumentBytes(): number {
    return this.#command === undefined ? MAX_IN_PROCESS_BYTES : KNOWLEDGE_BOUNDS.documentBytes;
  }

  /**
   * Does one job. Throws `DocumentParseError` when it takes too much, and the signal's reason once that
   * aborts; the process that did it is gone by then.
   */
  async run(job: Job, { tenant, signal }: JobOptions): Promise<JobResult> {
    signal?.throwIfAborted();
    const process = await this.#acquire(tenant);
    if (process === undefined) return await runJobInProcess(job);
    const isNew = process.jobs === 0;
    try {
      return await this.#runIn(job, { process, tenant, signal });
    } catch (error) {
      if (!(error instanceof WorkerDiedError)) throw error;
      // What the documents before have left behind is no fault of this one: it is blamed only for what
      // happens in a process of its own.
      if (!isNew) return await this.run(job, { tenant, ...signal && { signal } });
      throw toParseError(error);
    }
  }

  /** Ends all processes; jobs under way fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const busy = [...this.#busy].map((process) => process.terminate());
    await Promise.all([...busy, this.#endIdle()]);
  }

  async #runIn(
    job: Job,
    { process, tenant, signal }: {
      process: WorkerProcess;
      tenant: string;
      signal?: AbortSignal | undefined;
    },
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

  /** A process that works for no other tenant, or `undefined` where none can be started. */
  async #acquire(tenant: string): Promise<WorkerProcess | undefined> {
    const at = this.#idle.findLastIndex((one) => one.tenant === tenant);
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (idle?.process.alive) return idle.process;
    // Its place is taken: there are never more processes than jobs at the same time.
    await this.#idle.shift()?.process.terminate();
    if (this.#command === undefined) return undefined;
    try {
      return new WorkerProcess(this.#command);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      this.#command = undefined;
      this.#options.log.warn(
        "no process can be started: documents are read within bounds, PDFs not",
        {
          error,
        },
      );
      return undefined;
    }
  }

  async #release({ process, tenant }: IdleWorker): Promise<void> {
    const isSpent = process.jobs >= MAX_JOBS_PER_PROCESS ||
      process.workedMs >= MAX_WORK_MS_PER_PROCESS;
    if (this.#closed || isSpent) return await process.terminate();
    this.#idle.push({ process, tenant });
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.#endIdle(), this.#options.idleMs ?? IDLE_MS);
    Deno.unrefTimer(this.#idleTimer);
  }

  async #endIdle(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await Promise.all(this.#idle.splice(0).map(({ process }) => process.terminate()));
  }
}

/** Whether it would fail the next time as well, unlike for want of memory or of file descriptors. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Deno.errors.NotSupported || error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied ||
    error instanceof TypeError;
}

/** The limits of memory and CPU time end a process by a signal. */
function toParseError({ signal }: WorkerDiedError): DocumentParseError {
  if (signal === null) return new DocumentParseError("damaged", "it is damaged and cannot be read");
  return new DocumentParseError("too_complex", "reading it took too much memory or time");
}
