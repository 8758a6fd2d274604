import type { Logger } from "../../platform/log.ts";
import { CANCELLED, type Runtime } from "../../platform/runtime.ts";
import type { GroupCommitter } from "../../store/tx/group_committer.ts";
import { keys } from "../../store/keys/keys.ts";

const CHECK_INTERVAL_MS = 10_000;

/**
 * Checks every 10 s whether `file` was removed or replaced, and logs it. SQLite would continue to write
 * to the old file without an error, and lose everything when the process ends.
 */
export async function monitorStoreFile(
  file: string | undefined,
  { log, runtime }: { log: Logger; runtime: Pick<Runtime, "sleep"> },
): Promise<{ isInPlace(): boolean; close(): void }> {
  if (file === undefined) return { isInPlace: () => true, close: () => {} };
  const opened = await fileIdentity(file);
  const closing = new AbortController();
  let inPlace = true;
  const check = async () => {
    const found = await fileIdentity(file).catch(() => opened);
    if (inPlace === (found === opened)) return;
    inPlace = !inPlace;
    const message = "the store's file was removed or replaced: what is stored now is lost";
    if (inPlace) log.warn("the store's file is back in place", { file });
    else log.error(message, { file });
  };
  const watch = async () => {
    while (true) {
      await runtime.sleep(CHECK_INTERVAL_MS, closing.signal);
      await check();
    }
  };
  watch().catch(() => {});
  return { isInPlace: () => inPlace, close: () => closing.abort(CANCELLED) };
}

/** Identifies a file; `undefined` if there is none. */
async function fileIdentity(file: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await Deno.stat(file);
    return `${dev} ${ino}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Whether the store can be read and written. Reads may still work on a full disk or a locked file, so a
 * test write follows when writes have failed; it also detects recovery in a process without traffic.
 */
export async function isStoreReady({ kv, committer, runtime }: {
  kv: Deno.Kv;
  committer: GroupCommitter;
  runtime: Pick<Runtime, "now">;
}): Promise<boolean> {
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
