/** Keys of the configuration as files: a part of `keys`, under the same rules. */
export const CONFIGURATION_KEYS = {
  /** Who applies files: `{ v, id, note, createdAt }`. Its version fences every change. */
  configurationLock: (tenant: string) => ["configuration_locks", tenant],
  /** Until when: `{ v, until }`. Apart from the lock, so that an extension does not change that. */
  configurationLockExpiry: (tenant: string) => ["configuration_lock_expiries", tenant],
  /** Value `{ v, id }`: the resource that a key in a file names. */
  resourceKey: (tenant: string, kind: string, key: string) => ["resource_keys", tenant, kind, key],
  resourceKeys: (tenant: string) => ["resource_keys", tenant],
  /** Value `{ v, key }`: a resource has at most one key. */
  resourceKeyById: (tenant: string, kind: string, id: string) => [
    "resource_keys_by_id",
    tenant,
    kind,
    id,
  ],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
