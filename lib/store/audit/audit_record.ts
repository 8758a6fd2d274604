import type { AuditEntry, AuditKind } from "./audit_entry.ts";
import { currentActor } from "./actor.ts";
import { describeChange, type PlainObject } from "./describe_change.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { hashEntry, type QueuedEntry } from "./audit_chain.ts";
import { actorId, auditIndexKeys } from "./audit_index.ts";
import { auditRetentionMs } from "./audit_retention.ts";

/** Instead of a tenant, for the installation's own log: catalogue, provider connections, tenants. */
export const INSTALLATION = "installation";

/** A change to record. The caller omits secrets from `before` and `after`. */
export interface AuditedChange {
  /** The tenant whose log it is in, or `INSTALLATION`. */
  tenant: string;
  kind: AuditKind;
  action: string;
  target: { id: string; name: string };
  before?: PlainObject | undefined;
  after?: PlainObject | undefined;
}

/**
 * Adds an audit entry to the step that makes the change, so that neither is stored without the other, and
 * its hash to the queue of the chain. Entries are never changed or deleted; they expire after the days
 * that their plan states, which the chainer sets.
 */
export function recordChange(
  step: Deno.AtomicOperation,
  runtime: Pick<Runtime, "now" | "uuid">,
  { tenant, before, after, ...facts }: AuditedChange,
): void {
  const [id, at] = [runtime.uuid(), runtime.now()];
  const changes = describeChange(before, after);
  const expireIn = auditRetentionMs(facts);
  const exp = at + expireIn;
  const entry: AuditEntry = { v: 1, id, at, actor: currentActor(), ...facts, changes, exp };
  step.set(keys.auditEntry(tenant, at, id), entry, { expireIn });
  for (const key of auditIndexKeys(tenant, entry)) step.set(key, { exp }, { expireIn });
  step.set(keys.auditQueued(tenant, at, id), toQueued(entry, exp));
}

/** What the queue of the chain has about an entry. */
export function toQueued(entry: AuditEntry, expiresAt: number): QueuedEntry {
  const { kind, action } = entry;
  return { v: 1, hash: hashEntry(entry), expiresAt, kind, action, actor: actorId(entry) };
}
