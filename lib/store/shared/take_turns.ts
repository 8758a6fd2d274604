import { KeyedLock } from "../../platform/keyed_lock.ts";

const locks = new WeakMap<Deno.Kv, KeyedLock>();

/**
 * Runs work with the same name one after the other in this process. For steps that all change one record:
 * if they ran at once, most of them would fail and be repeated.
 */
export async function takeTurns<T>(
  kv: Deno.Kv,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const lock = locks.get(kv) ?? new KeyedLock();
  locks.set(kv, lock);
  return await lock.run(name, work);
}
