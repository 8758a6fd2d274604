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

export const JOB_BOUNDS: JobBounds = { timeMs: 25_000, heapMiB: 768, processMiB: 1_536 };

const MEMORY_CHECKED_EVERY_MS = 100;
const MIB = 1024 * 1024;

/**
 * Does a job in a worker of its own, within bounds of time and memory, and ends the worker. Throws
 * `UnreadableError` when it took too much or the worker died.
 */
export async function runJob(job: Job, bounds: JobBounds = JOB_BOUNDS): Promise<JobResult> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: bounds.heapMiB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
  worker.once("message", resolve);
  worker.once("error", (error: Error & { code?: string }) => reject(toUnreadable(error)));
  worker.once("exit", () => reject(died()));
  const late = setTimeout(() => reject(tooSlow(bounds)), bounds.timeMs);
  const stopWatch = watchMemory(bounds, () => reject(tooLarge()));
  try {
    worker.postMessage(job, [job.bytes.buffer]);
    return await promise;
  } finally {
    clearTimeout(late);
    stopWatch();
    await worker.terminate();
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
