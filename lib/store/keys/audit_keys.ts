/** The audit log and the chain of hashes that proves it. A part of `keys`, under the same rules. */
export const AUDIT_KEYS = {
  /** One audit entry: `{ v, id, at, actor, kind, action, target, changes, exp }`. */
  auditEntry: (tenant: string, at: number, id: string) => ["audit_entries", tenant, at, id],
  auditEntries: (tenant: string) => ["audit_entries", tenant],
  /** Value `{ exp }`. `filter` is a kind, an actor, or both. */
  auditEntryByFilter: (tenant: string, filter: string, at: number, id: string) => [
    "audit_entries_by_filter",
    tenant,
    filter,
    at,
    id,
  ],
  auditEntriesByFilter: (
    tenant: string,
    filter: string,
  ) => ["audit_entries_by_filter", tenant, filter],
  /** Value `{ exp }`; by the id of what was changed. */
  auditEntryByTarget: (tenant: string, target: string, at: number, id: string) => [
    "audit_entries_by_target",
    tenant,
    target,
    at,
    id,
  ],
  auditEntriesByTarget: (
    tenant: string,
    target: string,
  ) => ["audit_entries_by_target", tenant, target],
  /** Value `{ exp }`; by the block of the address that an event names. */
  auditEntryByAddress: (tenant: string, block: string, at: number, id: string) => [
    "audit_entries_by_address",
    tenant,
    block,
    at,
    id,
  ],
  auditEntriesByAddress: (
    tenant: string,
    block: string,
  ) => ["audit_entries_by_address", tenant, block],

  /** An entry that is not chained yet: `{ v, hash, expiresAt, kind, action, actor, late }`. */
  auditQueued: (tenant: string, at: number, id: string) => ["audit_queue", tenant, at, id],
  auditQueue: (tenant: string) => ["audit_queue", tenant],
  auditQueues: () => ["audit_queue"],
  /** The last link of a log: `{ v, sequence, chain }`. */
  auditHead: (tenant: string) => ["audit_heads", tenant],
  auditHeads: () => ["audit_heads"],
  /** `{ v, at, id, hash, expiresAt, kind, action, actor, late, chain }`. */
  auditLink: (tenant: string, sequence: number) => ["audit_links", tenant, sequence],
  auditLinks: (tenant: string) => ["audit_links", tenant],
  /** The last link that was deleted, once its entry had expired: a signed head. */
  auditCheckpoint: (tenant: string) => ["audit_checkpoints", tenant],
  /** The head of a UTC day: `{ v, sequence, chain, at, keyId, signature }`. */
  signedAuditHead: (tenant: string, day: string) => ["audit_signed_heads", tenant, day],
  signedAuditHeads: (tenant: string) => ["audit_signed_heads", tenant],
  /** Up to where entries without a link were looked for: `{ v, from, sequence }`. */
  auditScan: (tenant: string) => ["audit_scans", tenant],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
