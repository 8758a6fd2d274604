import { StartupError } from "./startup_error.ts";

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

/** What a lock is for, and its path as the configuration has it. */
export interface LockTarget {
  what: "data folder" | "store";
  path: string;
}

/** Another process holds the data: a KV file has exactly one owner. */
export class StoreInUseError extends StartupError {
  override name = "StoreInUseError";
  readonly target: LockTarget;
  /** The holder's process id, when it could be read. */
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

/** A held lock; releasing it twice is harmless. */
export interface ProcessLock {
  release(): void;
}

/**
 * Takes the lock file at `path` for this process, or throws `StoreInUseError` at once. The system
 * frees it however the process ends, `kill -9` included, so a file that is left behind means
 * nothing; it holds the owner's process id for the message only.
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
