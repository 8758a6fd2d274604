import { releaseLock } from "../lib/server/process/process_lock.ts";

/**
 * Waits until no other process builds under `root`, and keeps others waiting until it is disposed. The
 * system frees it when its process dies.
 */
export async function lockBuild(root: string): Promise<Disposable> {
  // Not in `_fresh/`, which a build removes first of all.
  const dir = `${root}/node_modules/.cache`;
  await Deno.mkdir(dir, { recursive: true });
  const file = await Deno.open(`${dir}/build.lock`, { create: true, write: true });
  await file.lock(true);
  return { [Symbol.dispose]: () => releaseLock(file) };
}
