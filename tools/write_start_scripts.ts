import { serverScript, serverScriptPath } from "../lib/server/process/server_script.ts";
import { backupScript, backupScriptPath } from "../lib/server/backup/backup_script.ts";
import { WORKER_SCRIPT, workerProgram } from "../lib/server/process/worker_command.ts";
import { workerScript } from "../lib/knowledge/ingest/worker/worker_script.ts";
import { startPaths, toFlagValue } from "./start_paths.ts";

/**
 * Writes the only programs that the running service may start: the script of document processes, that of
 * backups if `BACKUP_EVERY` is set, and that of server processes if `WORKERS` asks for more than one. The
 * service's permissions allow their paths with any arguments and environment, so they ignore arguments and
 * what could give them more permissions.
 */
export async function writeStartScripts(root: string, env: Record<string, string>): Promise<void> {
  const program = workerProgram(root, env);
  await writeScript(`${root}/${WORKER_SCRIPT}`, workerScript(program));
  const run = backupScriptPath(env);
  if (run !== undefined) {
    await writeScript(`${root}/${run}`, backupScript({ deno: program.deno, root, env }));
  }
  const path = serverScriptPath(env);
  if (path === undefined) return;
  const paths = async (access: "read" | "write") =>
    toFlagValue(await startPaths(access, { root, env }), root);
  const [read, write] = [await paths("read"), await paths("write")];
  await writeScript(
    `${root}/${path}`,
    serverScript({ deno: program.deno, root, read, write, run }),
  );
}

async function writeScript(path: string, script: string): Promise<void> {
  const text = `#!/bin/sh${await privilegedFlag()}\n${script}`;
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
