/**
 * `start_paths.ts read` and `start_paths.ts write` print the paths that the service, or a command beside
 * it, has to read or write, as `--allow-read` and `--allow-write` take them.
 */
import { basename, dirname, resolve } from "node:path";

/** What of the configuration names files. */
export type PathVariables = Partial<Record<"DATA_DIR" | "KV_PATH" | "CATALOGUE", string>>;

/** The service's own folder, the data folder, and the files that the configuration names. */
export async function startPaths(
  access: "read" | "write",
  { root, env }: { root: string; env: PathVariables },
): Promise<string[]> {
  const data = env.DATA_DIR || ".data";
  const paths = [data, ...await storePaths(env.KV_PATH || undefined)];
  if (access === "read") paths.push(root, ...env.CATALOGUE ? [env.CATALOGUE] : []);
  const absolute = await Promise.all(paths.map((path) => withLinkTarget(resolve(root, path))));
  return [...new Set(absolute.flat())];
}

/**
 * A list as Deno's flags take it, for a process that starts in `root`. Throws for a path outside of it
 * that holds a comma: the flags have no way to name one.
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

/** The store's file and the lock beside it; for one that is still to be made, its folder. */
async function storePaths(path: string | undefined): Promise<string[]> {
  if (path === undefined || path === ":memory:") return [];
  const real = await Deno.realPath(path).catch(() => undefined);
  if (real === undefined) return [path, dirname(resolve(path))];
  return [path, real, `${real}.lock`];
}

/** A path, and where it leads when it is a link or lies below one. */
async function withLinkTarget(path: string): Promise<string[]> {
  const real = await Deno.realPath(path).catch(async () => {
    const folder = await Deno.realPath(dirname(path)).catch(() => undefined);
    return folder && `${folder}/${basename(path)}`;
  });
  return real === undefined ? [path] : [path, real];
}

if (import.meta.main) {
  const access = Deno.args[0] === "write" ? "write" : "read";
  const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
  console.log(toFlagValue(await startPaths(access, { root, env: Deno.env.toObject() }), root));
}
