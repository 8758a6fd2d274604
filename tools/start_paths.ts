/**
 * `start_paths.ts read` and `start_paths.ts write` print the paths that the service and its commands
 * read or write, for `--allow-read` and `--allow-write`; `start_paths.ts run` prints the scripts that
 * the service runs, for `--allow-run`.
 */
import { basename, dirname, resolve } from "node:path";
import {
  serverScriptPath,
  type ServerScriptVariables,
} from "../lib/server/process/server_script.ts";
import {
  backupScriptPath,
  type BackupScriptVariables,
} from "../lib/server/backup/backup_script.ts";
import { WORKER_SCRIPT } from "../lib/server/process/worker_command.ts";

/** The variables that name files. */
export type PathVariables = Partial<
  Record<"DATA_DIR" | "KV_PATH" | "CATALOGUE" | "BACKUP_DIR", string>
>;

/** The scripts that the service may run, as `--allow-run` takes them. */
export function startScripts(env: ServerScriptVariables & BackupScriptVariables): string {
  const scripts = [WORKER_SCRIPT, serverScriptPath(env), backupScriptPath(env)]
    .filter((path) => path !== undefined);
  return scripts.map((path) => `./${path}`).join(",");
}

/** The service's own folder, the data folder, and the files that the configuration names. */
export async function startPaths(
  access: "read" | "write",
  { root, env }: { root: string; env: PathVariables },
): Promise<string[]> {
  const data = env.DATA_DIR || ".data";
  const paths = [data, ...await storePaths(env.KV_PATH || undefined)];
  const read = [env.CATALOGUE, env.BACKUP_DIR].filter((path) => path !== undefined && path !== "");
  if (access === "read") paths.push(root, ...read as string[]);
  const absolute = await Promise.all(paths.map((path) => withLinkTarget(resolve(root, path))));
  return [...new Set(absolute.flat())];
}

/**
 * Formats paths for Deno's flags, for a process that starts in `root`. Throws for a path outside of it
 * with a comma, which the flags cannot express.
 */
export function toFlagValue(paths: readonly string[], root: string): string {
  return paths.map((path) => {
    const name = isBelow(path, root) ? `.${path.slice(root.length)}` : path;
    if (!name.includes(",")) return name;
    throw new Error(
      `${path} cannot be used: its name holds a comma, and permissions are comma lists`,
    );
  }).join(",");
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/** The store's file and its lock, or the folder of a file that does not exist yet. */
async function storePaths(path: string | undefined): Promise<string[]> {
  if (path === undefined || path === ":memory:") return [];
  const real = await Deno.realPath(path).catch(() => undefined);
  if (real === undefined) return [path, dirname(resolve(path))];
  return [path, real, `${real}.lock`];
}

/** A path, and its target if it is or lies below a link. */
async function withLinkTarget(path: string): Promise<string[]> {
  const real = await Deno.realPath(path).catch(async () => {
    const folder = await Deno.realPath(dirname(path)).catch(() => undefined);
    return folder && `${folder}/${basename(path)}`;
  });
  return real === undefined ? [path] : [path, real];
}

if (import.meta.main) {
  const [access] = Deno.args;
  const env = Deno.env.toObject();
  const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
  if (access === "run") console.log(startScripts(env));
  else {
    const paths = await startPaths(access === "write" ? "write" : "read", { root, env });
    console.log(toFlagValue(paths, root));
  }
}
