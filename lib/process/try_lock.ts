/** How long to wait for a free lock. A holder keeps its lock as long as it runs. */
const LOCK_WAIT_MS = 500;

/**
 * Locks a file for this process, or returns false if another process has the lock. Before Deno 2.7 there
 * is no call that does not block, so a blocking one is abandoned after half a second. An abandoned call
 * gets the lock when its holder ends, and frees it at once, because its file is closed.
 */
export async function tryLock(file: Deno.FsFile): Promise<boolean> {
  if (typeof file.tryLock === "function") return await file.tryLock(true);
  const gaveUp = Promise.withResolvers<false>();
  const timer = setTimeout(() => gaveUp.resolve(false), LOCK_WAIT_MS);
  const locked = file.lock(true).then(() => true);
  try {
    return await Promise.race([locked, gaveUp.promise]);
  } finally {
    clearTimeout(timer);
    locked.catch(() => {});
  }
}
