import { AUDIT_KINDS, type AuditKind, INSTALLATION } from "../store/audit/audit_record.ts";
import type { AuditQuery } from "../store/audit/audit_store.ts";
import type { SignedInUser } from "../services/signed_in_user.ts";
import { addDays, isDay, orderDays } from "../schemas/day_range.ts";

const PAGE_SIZE = 25;

/** The filters of the audit page as in its URL; a blank one does not filter. */
export interface AuditFilters {
  kind: string;
  actor: string;
  /** UTC days, `YYYY-MM-DD`, inclusive. */
  from: string;
  to: string;
  /** `installation` for entries without a tenant; operators only. */
  log: string;
}

export function readAuditFilters(url: URL): AuditFilters {
  const value = (name: string) => url.searchParams.get(name) ?? "";
  const kind = AUDIT_KINDS.includes(value("kind") as AuditKind) ? value("kind") : "";
  const isActor = /^[0-9a-f-]{36}$|^(command_line|service|anonymous)$/.test(value("actor"));
  const actor = isActor ? value("actor") : "";
  const log = value("log") === INSTALLATION ? INSTALLATION : "";
  const day = (name: string) => isDay(value(name)) ? value(name) : "";
  return { kind, actor, log, ...orderDays({ from: day("from"), to: day("to") }) };
}

/** The log to show. Users who are not operators see their tenant's, whatever the address says. */
export function auditLog(filters: AuditFilters, { operator, tenant }: SignedInUser): string {
  if (!operator) filters.log = "";
  return filters.log === INSTALLATION ? INSTALLATION : tenant;
}

export function toAuditQuery(filters: AuditFilters, cursor: string | null): AuditQuery {
  const { kind, actor, from, to } = filters;
  return {
    limit: PAGE_SIZE,
    cursor: cursor ?? undefined,
    kind: kind === "" ? undefined : kind as AuditKind,
    actor: actor === "" ? undefined : actor,
    from: from === "" ? undefined : Date.parse(from),
    before: to === "" ? undefined : Date.parse(addDays(to, 1)),
  };
}

export function auditHref(filters: AuditFilters, cursor?: string): string {
  const set = Object.entries(filters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(set);
  if (cursor !== undefined) query.set("cursor", cursor);
  return query.size === 0 ? "/audit" : `/audit?${query}`;
}
