import { StartupError } from "./startup_error.ts";

/** How long to wait for a free lock; a held one is not released before its process ends. */
const LOCK_WAIT_MS = 500;

/**
 * Locks a file, or returns false if another process holds the lock. Deno before 2.7 can only wait for a
 * lock, so the wait is abandoned after half a second. An abandoned wait gets the lock when the holder
 * ends, and releases it immediately because the file is closed.
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

/**
 * Unlocks a file and closes it. Closing alone could leave the lock to a child process that is starting,
 * because it inherits open files until it executes its program.
 */
export function releaseLock(file: Deno.FsFile): void {
  try {
    file.unlockSync();
  } finally {
    file.close();
  }
}

export type LockTarget = { what: "data folder" | "store"; path: string };

/** Another process holds the resource. A KV file has exactly one owner. */
export class StoreInUseError extends StartupError {
  override name = "StoreInUseError";
  readonly target: LockTarget;
  readonly pid: number | undefined;

  constructor(held: LockTarget, pid: number | undefined) {
    const { what, path } = held;
    const holder = pid === undefined ? "another process" : `another process (pid ${pid})`;
    super(
      `the ${what} ${path} is in use by ${holder}: stop it, or point DATA_DIR and KV_PATH elsewhere`,
    );
    this.target = held;
    this.pid = pid;
  }
}

export interface ProcessLock {
  release(): void;
}

/**
 * Locks the file at `path` for this process, or throws `StoreInUseError`. The system releases the lock
 * when the process ends, even by `kill -9`. The file's content is only for the error message.
 */
export async function acquireProcessLock(path: string, held: LockTarget): Promise<ProcessLock> {
  const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  try {
    if (!await tryLock(file)) throw new StoreInUseError(held, await readHolderPid(path));
    await file.truncate(0);
    await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
  } catch (error) {
    releaseLock(file);
    throw error;
  }
  let isHeld = true;
  return {
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      releaseLock(file);
    },
  };
}

async function readHolderPid(path: string): Promise<number | undefined> {
  const [, pid] = /^(\d+)\n/.exec(await Deno.readTextFile(path).catch(() => "")) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
