import { releaseLock } from "./free_lock.ts";
import { StartupError } from "./store_fault.ts";
import { tryLock } from "./try_lock.ts";

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
