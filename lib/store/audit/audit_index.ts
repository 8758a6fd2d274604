import { addressBlock } from "../../platform/address_block.ts";
import { keys } from "../keys/keys.ts";
import type { AuditEntry, AuditKind } from "./audit_entry.ts";

/** Narrows a list of entries. */
export interface AuditFilter {
  kind?: AuditKind | undefined;
  /** A user's or an API key's id, `command_line`, `service` or `anonymous`. */
  actor?: string | undefined;
  /** The id of what was changed. */
  target?: string | undefined;
  /** The address that an event names. All of an IPv6 /64 count as one. */
  address?: string | undefined;
}

/** The name of a filter in the index; `undefined` without a filter. */
function filterKey({ kind, actor }: AuditFilter): string | undefined {
  if (kind === undefined && actor === undefined) return undefined;
  return `${kind ?? "*"} ${actor ?? "*"}`;
}

/** The id of an entry's actor, or its kind if it has no id. */
export function actorId({ actor }: Pick<AuditEntry, "actor">): string {
  return "id" in actor ? actor.id : actor.kind;
}

/** The address that an event names. Other entries may have changed a field of this name. */
export function addressOf({ kind, changes }: Pick<AuditEntry, "kind" | "changes">) {
  if (kind !== "sign-in" && kind !== "access") return undefined;
  return changes.find(({ field }) => field === "address")?.after;
}

/** Bounds a key: a target's id may be a URL. Entries are compared with the whole id. */
function targetKey(id: string): string {
  return id.slice(0, 200).toWellFormed();
}

/** The index rows of an entry. */
export function auditIndexKeys(tenant: string, entry: AuditEntry): Deno.KvKey[] {
  const { at, id, kind, target } = entry;
  const actor = actorId(entry);
  const address = addressOf(entry);
  return [
    ...[{ kind }, { actor }, { kind, actor }].map((filter) =>
      keys.auditEntryByFilter(tenant, filterKey(filter)!, at, id)
    ),
    keys.auditEntryByTarget(tenant, targetKey(target.id), at, id),
    ...address === undefined ? [] : [
      keys.auditEntryByAddress(tenant, addressBlock(address), at, id),
    ],
  ];
}

/** The shortest index that has every entry of a filter. */
export function auditIndex(tenant: string, filter: AuditFilter): Deno.KvKey {
  const { target, address } = filter;
  if (target !== undefined) return keys.auditEntriesByTarget(tenant, targetKey(target));
  if (address !== undefined) return keys.auditEntriesByAddress(tenant, addressBlock(address));
  const name = filterKey(filter);
  return name === undefined ? keys.auditEntries(tenant) : keys.auditEntriesByFilter(tenant, name);
}

/** True if an entry passes every part of a filter. */
export function matchesAudit(entry: AuditEntry, filter: AuditFilter): boolean {
  const { kind, actor, target, address } = filter;
  if (kind !== undefined && entry.kind !== kind) return false;
  if (actor !== undefined && actorId(entry) !== actor) return false;
  if (target !== undefined && entry.target.id !== target) return false;
  if (address === undefined) return true;
  const own = addressOf(entry);
  return own !== undefined && addressBlock(own) === addressBlock(address);
}
