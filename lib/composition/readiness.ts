import type { Committer } from "../committer/committer.ts";
import { keys } from "../storage/keys.ts";
import type { Runtime } from "../system.ts";

interface StoreReadinessDeps {
  kv: Deno.Kv;
  committer: Committer;
  system: Pick<Runtime, "now">;
}

/**
 * Whether the store can be read, and written: a full disk and a locked file still answer reads. Writing
 * is tried only when it has failed, so that a process that nobody asks any more finds out that it is
 * well again.
 */
export async function isStoreReady(
  { kv, committer, system }: StoreReadinessDeps,
): Promise<boolean> {
  try {
    await kv.get(keys.installation("default_tenant"));
    if (!committer.isFailing) return true;
    const probe = keys.installation("write_probe");
    await committer.run({ keys: [], decide: (draft) => draft.note(probe, { at: system.now() }) });
    return true;
  } catch {
    return false;
  }
}
