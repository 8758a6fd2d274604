import type { WorkerCommand } from "../../knowledge/ingest/worker/worker_process.ts";
import { type WorkerProgram, workerScript } from "../../knowledge/ingest/worker/worker_script.ts";

/** The only program that the service has permission to run; relative to its folder. */
export const WORKER_SCRIPT = "_fresh/worker.sh";

export function workerProgram(root: string, env: Record<string, string>): WorkerProgram {
  const passed = ["DENO_DIR", "HOME", "XDG_CACHE_HOME"].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]]]
  );
  return { deno: Deno.execPath(), root, env: Object.fromEntries(passed) };
}

/** The script that `deno task start` has written, or a shell if this process may run anything. */
export async function workerCommand(
  root: string,
  env: Record<string, string>,
): Promise<WorkerCommand> {
  const { state } = await Deno.permissions.query({ name: "run" });
  if (state !== "granted") return { path: `${root}/${WORKER_SCRIPT}` };
  return { path: "/bin/sh", args: ["-c", workerScript(workerProgram(root, env))] };
}
