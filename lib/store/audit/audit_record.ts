import { z } from "zod";
import { currentActor } from "./actor.ts";
import { describeChange, type PlainObject } from "./describe_change.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";

/** What a change is about. */
export const AUDIT_KINDS = [
  "agent",
  "knowledge base",
  "document",
  "web source",
  "test set",
  "key",
  "secret",
  /** Connections to MCP servers that demand OAuth. */
  "mcp server",
  "user",
  "invite",
  "plan",
  "tenant",
  "model",
  "slot",
  /** Sign-ins, sign-outs and failed attempts. */
  "sign-in",
  /** Rejected by the dashboard: a role that is not allowed, a form of another site. */
  "access",
  "advice",
  /** Exports, and answers that a person stopped. */
  "conversation",
] as const;
export type AuditKind = typeof AUDIT_KINDS[number];

/** Instead of a tenant, for the installation's own log: catalogue, provider connections, tenants. */
export const INSTALLATION = "installation";

/** A year, and a month to look back on it. */
const AUDIT_TTL_MS = 400 * 86_400_000;

export const auditRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  at: z.int(),
  actor: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("user"), id: z.string(), name: z.string() }),
    z.object({ kind: z.literal("api_key"), id: z.string() }),
    z.object({ kind: z.literal("command_line") }),
    z.object({ kind: z.literal("service") }),
    z.object({ kind: z.literal("anonymous") }),
  ]),
  kind: z.enum(AUDIT_KINDS),
  /** One word or two: `create`, `delete`, `change password`. */
  action: z.string(),
  target: z.object({ id: z.string(), name: z.string() }),
  changes: z.array(z.object({
    field: z.string(),
    before: z.string().optional(),
    after: z.string().optional(),
  })),
});
export type AuditEntry = z.infer<typeof auditRecordSchema>;

/** A change to record. The caller omits secrets from `before` and `after`. */
export interface AuditedChange {
  /** The tenant whose log it is in, or `INSTALLATION`. */
  tenant: string;
  kind: AuditKind;
  action: string;
  target: { id: string; name: string };
  before?: PlainObject | undefined;
  after?: PlainObject | undefined;
  /** 400 days by default, in milliseconds. Shorter for what strangers can cause. */
  ttlMs?: number | undefined;
}

/**
 * Adds an audit entry to the step that makes the change, so that neither is stored without the other.
 * Entries are never changed or deleted; they expire after 400 days.
 */
export function recordChange(
  step: Deno.AtomicOperation,
  runtime: Pick<Runtime, "now" | "uuid">,
  { tenant, before, after, ttlMs = AUDIT_TTL_MS, ...facts }: AuditedChange,
): void {
  const [id, at] = [runtime.uuid(), runtime.now()];
  const changes = describeChange(before, after);
  const entry: AuditEntry = { v: 1, id, at, actor: currentActor(), ...facts, changes };
  const options = { expireIn: ttlMs };
  step.set(keys.auditEntry(tenant, at, id), entry, options);
  for (const filter of filterKeysOf(entry)) {
    step.set(keys.auditEntryByFilter(tenant, filter, at, id), [at, id], options);
  }
}

/** Narrows a list of entries. Each filter, and both together, have an index. */
export interface AuditFilter {
  kind?: AuditKind | undefined;
  /** A user's or an API key's id, `command_line`, `service` or `anonymous`. */
  actor?: string | undefined;
}

/** The name of a filter in the index; `undefined` without a filter. */
export function filterKey({ kind, actor }: AuditFilter): string | undefined {
  if (kind === undefined && actor === undefined) return undefined;
  return `${kind ?? "*"} ${actor ?? "*"}`;
}

function filterKeysOf({ kind, actor }: AuditEntry): string[] {
  const who = "id" in actor ? actor.id : actor.kind;
  const filters = [{ kind }, { actor: who }, { kind, actor: who }];
  return filters.map((one) => filterKey(one)!);
}
