import { WORKER_SCRIPT, workerProgram } from "../lib/server/process/worker_command.ts";
import { workerScript } from "../lib/knowledge/ingest/worker/worker_script.ts";

/**
 * Writes the only program that the running service may start. The service's permissions allow its path
 * with any arguments and environment, so it ignores arguments and, if the shell can, its environment.
 */
export async function writeWorkerScript(root: string, env: Record<string, string>): Promise<void> {
  const path = `${root}/${WORKER_SCRIPT}`;
  const text = `#!/bin/sh${await privilegedFlag()}\n${workerScript(workerProgram(root, env))}`;
  if (await Deno.readTextFile(path).catch(() => undefined) === text) return;
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await Deno.writeTextFile(temporary, text, { mode: 0o755 });
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}

/** In this mode bash does not run code from its environment. Other shells may not support it. */
async function privilegedFlag(): Promise<string> {
  const shell = new Deno.Command("/bin/sh", { args: ["-p", "-c", ":"], stderr: "null" });
  return await shell.output().then(({ success }) => success ? " -p" : "", () => "");
}
