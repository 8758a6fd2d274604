import { AUDIT_RETENTION } from "../../schemas/limits.ts";

const DAY_MS = 86_400_000;

/** Events that strangers can cause, or that name their addresses. */
const SECURITY_ACTIONS: ReadonlySet<string> = new Set([
  ...["failed", "locked out", "slowed down", "refused"],
]);

/** How long an entry is stored, in milliseconds; `days` is the retention of changes. */
export function auditRetentionMs(
  { kind, action }: { kind: string; action: string },
  days: number = AUDIT_RETENTION.defaultDays,
): number {
  const isSecurityEvent = kind === "access" || (kind === "sign-in" && SECURITY_ACTIONS.has(action));
  return (isSecurityEvent ? Math.min(AUDIT_RETENTION.securityDays, days) : days) * DAY_MS;
}
