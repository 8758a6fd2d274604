import { overrideKv } from "../kv/override_kv.ts";
import { type ConfigurationLockStore, type LockFence, lost } from "./configuration_lock_store.ts";

/**
 * `kv` whose atomic steps also check the lock of their request, so that none commits after the lock was
 * lost, however long the request was delayed. A step that fails for that reason throws `ApiError` 409.
 */
export function fencedKv(
  kv: Deno.Kv,
  { fence, locks }: { fence: LockFence; locks: Pick<ConfigurationLockStore, "isHeld"> },
): Deno.Kv {
  return overrideKv(kv, {
    atomic() {
      const step = kv.atomic();
      const commit = step.commit.bind(step);
      return Object.assign(step.check(fence), {
        async commit() {
          const result = await commit();
          if (!result.ok && !await locks.isHeld(fence)) throw lost();
          return result;
        },
      });
    },
  });
}
