/** How long a lock that is free may take to be had. Its holder keeps it as long as it runs. */
const WAIT_MS = 500;

/**
 * Locks a file for this process, or answers false where another has it. Deno has a call that does so
 * since 2.7; before, the only one waits for the lock, so it is given up after half a second. When the
 * holder ends, such a lock is had after all and freed at once, because its file is closed.
 */
export async function tryLock(file: Deno.FsFile): Promise<boolean> {
  if (typeof file.tryLock === "function") return await file.tryLock(true);
  const gaveUp = Promise.withResolvers<false>();
  const timer = setTimeout(() => gaveUp.resolve(false), WAIT_MS);
  const locked = file.lock(true).then(() => true);
  try {
    return await Promise.race([locked, gaveUp.promise]);
  } finally {
    clearTimeout(timer);
    locked.catch(() => {});
  }
}
