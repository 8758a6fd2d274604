import { Worker } from "node:worker_threads";
import { UnreadableError } from "./unreadable.ts";
import type { Job, JobResult } from "./worker_job.ts";

/** What one job may take. */
export interface JobBounds {
  /** After this the worker is ended, whatever it is doing. */
  timeMs: number;
  /** Of its own heap. */
  heapMiB: number;
  /** By which the process may grow meanwhile: buffers of the worker are not on its heap. */
  processMiB: number;
}

const JOB_BOUNDS: JobBounds = { timeMs: 20_000, heapMiB: 768, processMiB: 1_536 };
/** What a parser might leave behind ends with its worker, and so is bounded. */
const JOBS_A_WORKER = 50;
/** Usually 0.1 s. */
const START_MS = 60_000;
const MEMORY_CHECKED_EVERY_MS = 100;
const MIB = 1024 * 1024;

/**
 * Does jobs, one after the other, in a thread of its own and within bounds of time and memory. The
 * thread is kept from job to job, because starting one holds up its owner for 20 to 40 ms (measured);
 * one that failed is ended. Call `end` when there is nothing more to do.
 */
export class JobWorker {
  readonly #bounds: JobBounds;
  #worker: Promise<Worker> | undefined;
  #jobs = 0;

  constructor(bounds: Partial<JobBounds> = {}) {
    this.#bounds = { ...JOB_BOUNDS, ...bounds };
  }

  /**
   * Does one job. Throws `UnreadableError` when it took too much or the worker died, and the signal's
   * reason once it aborts.
   */
  async run(job: Job, { signal }: { signal?: AbortSignal } = {}): Promise<JobResult> {
    signal?.throwIfAborted();
    try {
      const worker = await (this.#worker ??= startWorker(this.#bounds));
      signal?.throwIfAborted();
      const result = await this.#ask(worker, { job, signal });
      if (++this.#jobs >= JOBS_A_WORKER) await this.end();
      return result;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    const starting = this.#worker;
    this.#worker = undefined;
    this.#jobs = 0;
    // One that did not start has ended by itself.
    const worker = await starting?.catch(() => undefined);
    await worker?.terminate();
  }

  async #ask(
    worker: Worker,
    { job, signal }: { job: Job; signal: AbortSignal | undefined },
  ): Promise<JobResult> {
    const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
    const onError = (error: Error & { code?: string }) => reject(toUnreadable(error));
    const onExit = () => reject(died());
    const onAbort = () => reject(signal?.reason);
    worker.on("message", resolve).on("error", onError).on("exit", onExit);
    signal?.addEventListener("abort", onAbort);
    const late = setTimeout(() => reject(tooSlow(this.#bounds)), this.#bounds.timeMs);
    const stopWatch = watchMemory(this.#bounds, () => reject(tooLarge()));
    try {
      worker.postMessage(job, [job.buffer]);
      return await promise;
    } finally {
      clearTimeout(late);
      stopWatch();
      signal?.removeEventListener("abort", onAbort);
      worker.off("message", resolve).off("error", onError).off("exit", onExit);
    }
  }
}

/** A worker that is ready: what its start takes is no document's fault, and not counted as one's. */
async function startWorker({ heapMiB }: JobBounds): Promise<Worker> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onExit = () => reject(new Error("a worker for documents ended as it started"));
  const late = setTimeout(onExit, START_MS);
  // An error that comes when nobody waits for one any more would end the process.
  worker.on("error", () => {});
  worker.once("message", () => resolve()).on("error", reject).on("exit", onExit);
  try {
    await promise;
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    clearTimeout(late);
    worker.off("error", reject).off("exit", onExit);
  }
}

/** Calls `over` when the process has grown too much; answers what ends the watch. */
function watchMemory({ processMiB }: JobBounds, over: () => void): () => void {
  const most = Deno.memoryUsage().rss + processMiB * MIB;
  const timer = setInterval(() => {
    if (Deno.memoryUsage().rss > most) over();
  }, MEMORY_CHECKED_EVERY_MS);
  return () => clearInterval(timer);
}

function toUnreadable(error: { code?: string }): UnreadableError {
  return error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge() : died();
}

function died(): UnreadableError {
  return new UnreadableError("damaged", "it is damaged and cannot be read");
}

function tooSlow({ timeMs }: JobBounds): UnreadableError {
  const seconds = Math.round(timeMs / 1_000);
  return new UnreadableError("too_complex", `reading it took longer than ${seconds} s`);
}

function tooLarge(): UnreadableError {
  return new UnreadableError("too_complex", "reading it took too much memory");
}
