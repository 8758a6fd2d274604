import type { Logger } from "../../platform/log.ts";
import { CANCELLED, type Runtime } from "../../platform/runtime.ts";
import type { GroupCommitter } from "../../store/tx/group_committer.ts";
import { keys } from "../../store/keys/keys.ts";

const CHECK_INTERVAL_MS = 10_000;

/** Knows whether the store's file is still the one that was opened. */
export interface StoreFileMonitor {
  isInPlace(): boolean;
  close(): void;
}

/**
 * Looks every 10 s whether `file`, where the store is one, is the one that is there now. A file that
 * was removed or replaced is written on without an error, and all of it is gone when the process ends:
 * the log must say so, and whoever asks whether the process is ready must hear that it is not.
 */
export async function monitorStoreFile(
  file: string | undefined,
  { log, runtime }: { log: Logger; runtime: Pick<Runtime, "sleep"> },
): Promise<StoreFileMonitor> {
  if (file === undefined) return { isInPlace: () => true, close: () => {} };
  const opened = await fileIdentity(file);
  const closing = new AbortController();
  let inPlace = true;
  const look = async () => {
    const found = await fileIdentity(file).catch(() => opened);
    if (inPlace === (found === opened)) return;
    inPlace = !inPlace;
    const lost = "the store's file was removed or replaced: what is stored now is lost";
    if (inPlace) log.warn("the store's file is in its place again", { file });
    else log.error(lost, { file });
  };
  const watch = async () => {
    while (true) {
      await runtime.sleep(CHECK_INTERVAL_MS, closing.signal);
      await look();
    }
  };
  watch().catch(() => {});
  return { isInPlace: () => inPlace, close: () => closing.abort(CANCELLED) };
}

/** What no two files have in common at a time; `undefined` where there is no file. */
async function fileIdentity(file: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await Deno.stat(file);
    return `${dev} ${ino}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

interface StoreReadinessDeps {
  kv: Deno.Kv;
  committer: GroupCommitter;
  runtime: Pick<Runtime, "now">;
}

/**
 * Whether the store can be read, and written: a full disk and a locked file still answer reads. Writing
 * is tried only when it has failed, so that a process that nobody asks any more finds out that it is
 * well again.
 */
export async function isStoreReady(
  { kv, committer, runtime }: StoreReadinessDeps,
): Promise<boolean> {
  try {
    await kv.get(keys.installation("default_tenant"));
    if (!committer.isFailing) return true;
    const probe = keys.installation("write_probe");
    await committer.run({
      keys: [],
      decide: (draft) => draft.blindWrite(probe, { at: runtime.now() }),
    });
    return true;
  } catch {
    return false;
  }
}
