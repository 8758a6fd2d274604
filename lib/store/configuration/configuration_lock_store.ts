import { z } from "zod";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ConfigurationLock, LockBody } from "../../schemas/configuration.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

/** Longer than a client waits for its rate limit between two changes. */
export const LOCK_MS = 90_000;

const lockSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  note: z.string().optional(),
  createdAt: z.int(),
});
type Lock = z.infer<typeof lockSchema>;
const expirySchema = z.object({ v: z.literal(1), until: z.int() });

/** What is stored of a tenant's lock. */
interface LockState {
  entry: Deno.KvEntryMaybe<unknown>;
  expiry: Deno.KvEntryMaybe<unknown>;
  /** Also one that has expired, until another one replaces it. */
  lock: Lock | undefined;
  until: number;
  /** `undefined` if there is none, or if it has expired. */
  held: (Lock & { until: number }) | undefined;
}

/** The entry of a lock that a request holds: changes check it in their own step. */
export type LockFence = Deno.KvEntryMaybe<unknown>;

/**
 * One lock per tenant, for those who change its configuration as a whole. It does not reject changes
 * without it. Methods throw `ApiError` 409 for a lock that another client holds.
 */
export class ConfigurationLockStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async find(tenant: string): Promise<ConfigurationLock | undefined> {
    const { held } = await this.#read(tenant);
    return held && toLock(held);
  }

  /** Takes the lock, or extends it. */
  acquire(tenant: string, { id, note, takeOver = false }: LockBody): Promise<ConfigurationLock> {
    return retryUntilCommitted(async () => {
      const { entry, expiry, held } = await this.#read(tenant);
      if (held !== undefined && held.id !== id && !takeOver) throw locked(held);
      const now = this.#runtime.now();
      const until = now + LOCK_MS;
      const lock: Lock = held?.id === id
        ? held
        : { v: 1, id, ...note !== undefined && { note }, createdAt: now };
      const step = this.#kv.atomic().check(entry, expiry)
        .set(expiry.key, { v: 1, until });
      // An extension must not change the entry that fences changes in progress.
      if (held?.id !== id) step.set(entry.key, lock);
      return (await step.commit()).ok ? toLock({ ...lock, until }) : undefined;
    }, { what: "configuration lock" });
  }

  /**
   * Checks that `id` has the lock, and extends it. One that expired during a long upload is still good while
   * no other client has taken it.
   */
  async fence(tenant: string, id: string): Promise<LockFence> {
    return await retryUntilCommitted(async () => {
      const { entry, expiry, held, ...stored } = await this.#read(tenant);
      if (stored.lock?.id !== id) throw lost(held);
      const until = this.#runtime.now() + LOCK_MS;
      // A change per second needs no extension each.
      if (until - stored.until < LOCK_MS / 10) return entry;
      const step = this.#kv.atomic().check(entry, expiry).set(expiry.key, { v: 1, until });
      return (await step.commit()).ok ? entry : undefined;
    }, { what: "configuration lock" });
  }

  /** Whether changes behind the fence are still allowed. */
  async isHeld(fence: LockFence): Promise<boolean> {
    return (await this.#kv.get(fence.key)).versionstamp === fence.versionstamp;
  }

  async release(tenant: string, id: string): Promise<void> {
    await retryUntilCommitted(async () => {
      const { entry, expiry, held } = await this.#read(tenant);
      if (held === undefined) return true;
      if (held.id !== id) throw locked(held);
      const step = this.#kv.atomic().check(entry, expiry).delete(entry.key).delete(expiry.key);
      return (await step.commit()).ok ? true : undefined;
    }, { what: "configuration lock" });
  }

  async #read(tenant: string): Promise<LockState> {
    const wanted = [keys.configurationLock(tenant), keys.configurationLockExpiry(tenant)] as const;
    const [entry, expiry] = await this.#kv.getMany<[unknown, unknown]>(wanted);
    const lock = parseRecord(lockSchema, entry);
    const until = parseRecord(expirySchema, expiry)?.until ?? 0;
    const isHeld = lock !== undefined && until > this.#runtime.now();
    return { entry, expiry, lock, until, held: isHeld ? { ...lock, until } : undefined };
  }
}

function toLock({ note, createdAt, until }: Lock & { until: number }): ConfigurationLock {
  return {
    ...note !== undefined && { note },
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(until),
  };
}

function locked(held: Lock & { until: number }): ApiError {
  return new ApiError("configuration_locked", "another client has locked the configuration", {
    details: { ...toLock(held) },
  });
}

/** A change was rejected because its lock is gone. */
export function lost(held?: Lock & { until: number }): ApiError {
  const message = "the lock of this request was released, or another client has taken it over";
  return new ApiError("configuration_locked", message, held && { details: { ...toLock(held) } });
}
