import type { AuditKind } from "../store/audit/audit_entry.ts";
import { INSTALLATION } from "../store/audit/audit_record.ts";
import type { AuditQuery } from "../store/audit/audit_store.ts";
import type { SignedInUser } from "../services/signed_in_user.ts";
import { auditDaysOf, type Plan } from "../store/tenants/tenant_store.ts";
import { AUDIT_RETENTION } from "../schemas/limits.ts";
import { addDays, isDay, orderDays } from "../schemas/day_range.ts";

const PAGE_SIZE = 25;

/** The filters of the audit page as in its URL; a blank one does not filter. */
export interface AuditFilters {
  kind: string;
  actor: string;
  /** The id of what was changed. */
  target: string;
  /** An IP address that a security event names. */
  address: string;
  /** UTC days, `YYYY-MM-DD`, inclusive. */
  from: string;
  to: string;
  /** `installation` for entries without a tenant; operators only. */
  log: string;
}

/** Longer than any: a target's id may be a URL. A longer filter is cut, and so finds nothing. */
const MAX_LENGTHS = { kind: 40, actor: 60, target: 2_049, address: 100 } as const;

/** A value that no entry has finds nothing: a link with a mistake must not show the whole log. */
export function readAuditFilters(url: URL): AuditFilters {
  const value = (name: string) => url.searchParams.get(name) ?? "";
  const text = (name: keyof typeof MAX_LENGTHS) =>
    value(name).trim().slice(0, MAX_LENGTHS[name]).toWellFormed();
  const [kind, actor] = [text("kind"), text("actor")];
  const [target, address] = [text("target"), text("address")];
  const log = value("log") === INSTALLATION ? INSTALLATION : "";
  const day = (name: string) => isDay(value(name)) ? value(name) : "";
  const days = orderDays({ from: day("from"), to: day("to") });
  return { kind, actor, target, address, log, ...days };
}

/** The log to show. Users who are not operators see their tenant's, whatever the address says. */
export function auditLog(filters: AuditFilters, { operator, tenant }: SignedInUser): string {
  if (!operator) filters.log = "";
  return filters.log === INSTALLATION ? INSTALLATION : tenant;
}

/** How long a log stores changes, and security events, in days. */
export async function auditRetention(
  log: string,
  tenants: { plan(tenant: string): Promise<Plan> },
): Promise<{ days: number; events: number }> {
  const { defaultDays, securityDays } = AUDIT_RETENTION;
  const days = log === INSTALLATION ? defaultDays : auditDaysOf(await tenants.plan(log));
  return { days, events: Math.min(days, securityDays) };
}

/** Without the page. */
export function toAuditFilter(
  { kind, actor, target, address, from, to }: AuditFilters,
): Omit<AuditQuery, "limit" | "cursor"> {
  return {
    kind: kind === "" ? undefined : kind as AuditKind,
    actor: actor === "" ? undefined : actor,
    target: target === "" ? undefined : target,
    address: address === "" ? undefined : address,
    from: from === "" ? undefined : Date.parse(from),
    before: to === "" ? undefined : Date.parse(addDays(to, 1)),
  };
}

export function toAuditQuery(filters: AuditFilters, cursor: string | null): AuditQuery {
  return { ...toAuditFilter(filters), limit: PAGE_SIZE, cursor: cursor ?? undefined };
}

/** The filters that are set, without the log. */
export function activeAuditFilters({ log: _, ...filters }: AuditFilters): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
}

export function auditHref(filters: AuditFilters, cursor?: string): string {
  const query = queryOf(filters);
  if (cursor !== undefined) query.set("cursor", cursor);
  return query.size === 0 ? "/audit" : `/audit?${query}`;
}

export function auditExportHref(filters: AuditFilters, format: "csv" | "jsonl"): string {
  const query = queryOf(filters);
  query.set("format", format);
  return `/audit/export?${query}`;
}

function queryOf(filters: AuditFilters): URLSearchParams {
  return new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
}
