import type { WorkerCommand } from "../../knowledge/ingest/worker/worker_process.ts";
import { type WorkerProgram, workerScript } from "../../knowledge/ingest/worker/worker_script.ts";

/** The one program that a service with narrow permissions may run, below its folder. */
export const WORKER_SCRIPT = "_fresh/worker.sh";

/** Where this process finds what a worker process is made of. */
export function workerProgram(root: string, env: Record<string, string>): WorkerProgram {
  const { DENO_DIR, HOME, XDG_CACHE_HOME } = env;
  return {
    deno: Deno.execPath(),
    root,
    env: {
      ...DENO_DIR !== undefined && { DENO_DIR },
      ...HOME !== undefined && { HOME },
      ...XDG_CACHE_HOME !== undefined && { XDG_CACHE_HOME },
    },
  };
}

/**
 * How this process starts the ones that parse documents: by the script that `deno task start` has
 * written, or, where it may run anything, by a shell.
 */
export async function workerCommand(
  root: string,
  env: Record<string, string>,
): Promise<WorkerCommand> {
  const { state } = await Deno.permissions.query({ name: "run" });
  if (state !== "granted") return { path: `${root}/${WORKER_SCRIPT}` };
  return { path: "/bin/sh", args: ["-c", workerScript(workerProgram(root, env))] };
}
