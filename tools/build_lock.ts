import { releaseLock } from "../lib/server/process/process_lock.ts";

/**
 * Locks the build under `root`; other processes wait until the result is disposed. The system releases
 * the lock when the process ends.
 */
export async function lockBuild(root: string): Promise<Disposable> {
  // Not in `_fresh/`, which a build removes first.
  const dir = `${root}/node_modules/.cache`;
  await Deno.mkdir(dir, { recursive: true });
  const file = await Deno.open(`${dir}/build.lock`, { create: true, write: true });
  await file.lock(true);
  return { [Symbol.dispose]: () => releaseLock(file) };
}
