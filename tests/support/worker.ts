import type { WorkerCommand } from "@/lib/knowledge/ingest/worker/worker_process.ts";
import {
  WORKER_LIMITS,
  type WorkerLimits,
  workerScript,
} from "@/lib/knowledge/ingest/worker/worker_script.ts";
import { workerProgram } from "@/lib/server/process/worker_command.ts";

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** Command of worker processes, with the service's limits by default. */
export function testWorker(limits: Partial<WorkerLimits> = {}): WorkerCommand {
  const program = workerProgram(root, Deno.env.toObject());
  return { path: "/bin/sh", args: ["-c", workerScript(program, { ...WORKER_LIMITS, ...limits })] };
}

/** Whether a process with this id exists, including ended ones that were not awaited. */
export async function exists(pid: number): Promise<boolean> {
  return await Deno.stat(`/proc/${pid}`).then(() => true, () => false);
}

/** Waits until the process with this id has ended; false if it still exists after `ms`. */
export async function isGoneWithin(pid: number, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (await exists(pid)) {
    if (performance.now() > end) return false;
    await new Promise((done) => setTimeout(done, 10));
  }
  return true;
}

/** The process ids, once `count` processes run. */
export async function untilWorking(pool: { pids: number[] }, count: number): Promise<number[]> {
  while (pool.pids.length < count) await new Promise((done) => setTimeout(done, 1));
  return pool.pids;
}
