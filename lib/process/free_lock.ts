/**
 * Frees a lock at once and closes its file. Closing alone would leave it to a child that is just being
 * started: until that runs its own program, it has every file of this process open.
 */
export function releaseLock(file: Deno.FsFile): void {
  try {
    file.unlockSync();
  } finally {
    file.close();
  }
}
