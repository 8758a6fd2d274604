import { freeLock } from "./free_lock.ts";
import { StoreFault } from "./store_fault.ts";

/** What a lock is for, and its path as the configuration has it. */
export interface Held {
  what: "data folder" | "store";
  path: string;
}

/** Another process holds the data: a KV file has exactly one owner. */
export class StoreInUseError extends StoreFault {
  override name = "StoreInUseError";
  readonly held: Held;
  /** The holder's process id, when it could be read. */
  readonly pid: number | undefined;

  constructor(held: Held, pid: number | undefined) {
    const { what, path } = held;
    const holder = pid === undefined ? "another process" : `another process (pid ${pid})`;
    super(
      `the ${what} ${path} is in use by ${holder}: stop it, or point DATA_DIR and KV_PATH elsewhere`,
    );
    this.held = held;
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
export async function takeProcessLock(path: string, held: Held): Promise<ProcessLock> {
  const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  try {
    if (!await tryLock(file)) throw new StoreInUseError(held, await holderOf(path));
    await file.truncate(0);
    await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
  } catch (error) {
    freeLock(file);
    throw error;
  }
  let isHeld = true;
  return {
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      freeLock(file);
    },
  };
}

/** How long Deno before 2.7, which can only wait for a lock, waits for one that nobody may hold. */
const OLDER_DENO_MS = 250;

/** Whether the lock was free. One that was not is never taken later: closing the file gives it up. */
async function tryLock(file: Pick<Deno.FsFile, "lock"> & Partial<Deno.FsFile>): Promise<boolean> {
  if (file.tryLock !== undefined) return await file.tryLock(true);
  const taken = file.lock(true).then(() => true);
  // It fails when the file is closed before.
  taken.catch(() => {});
  const { promise: waited, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, OLDER_DENO_MS, false);
  return await Promise.race([taken, waited]).finally(() => clearTimeout(timer));
}

async function holderOf(path: string): Promise<number | undefined> {
  const [, pid] = /^(\d+)\n/.exec(await Deno.readTextFile(path).catch(() => "")) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
