import { z } from "zod";
import { currentActor } from "./actor.ts";
import { describeChange, type PlainObject } from "./describe_change.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";

/** What may be changed; the first part of every action's name. */
export const AUDIT_KINDS = [
  "agent",
  "knowledge base",
  "document",
  "key",
  "secret",
  "user",
  "invite",
  "plan",
  "tenant",
  "model",
  "slot",
  /** Who signed in and out, and who failed to. */
  "sign-in",
  /** What the dashboard refused: a role that is not allowed, a form of another site. */
  "access",
  "advice",
] as const;
export type AuditKind = typeof AUDIT_KINDS[number];

/** In place of a tenant, for what is the whole installation's: its catalogue and vendor slots. */
export const INSTALLATION = "installation";

/** How long entries are kept: a year, and a month to look back on it. */
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
  /** In one word or two: `create`, `delete`, `change password`. */
  action: z.string(),
  target: z.object({ id: z.string(), name: z.string() }),
  changes: z.array(z.object({
    field: z.string(),
    before: z.string().optional(),
    after: z.string().optional(),
  })),
});
export type AuditEntry = z.infer<typeof auditRecordSchema>;

/** A change as its store knows it. `before` and `after` hold no secret that could be left out. */
export interface AuditedChange {
  /** Whose log it is in: a tenant's, or the installation's. */
  tenant: string;
  kind: AuditKind;
  action: string;
  target: { id: string; name: string };
  before?: PlainObject | undefined;
  after?: PlainObject | undefined;
  /** Milliseconds; 400 days by default. Shorter for what strangers can cause. */
  ttlMs?: number | undefined;
}

/**
 * Adds the entry of a change to the step that makes it, so that neither is stored without the other.
 * Nothing ever changes an entry or takes one away; the store forgets them after 400 days.
 */
export function recordChange(
  step: Deno.AtomicOperation,
  runtime: Pick<Runtime, "now" | "uuid">,
  { tenant, before, after, ttlMs = AUDIT_TTL_MS, ...facts }: AuditedChange,
): void {
  const changes = describeChange(before, after);
  const actor = currentActor();
  const entry: AuditEntry = {
    v: 1,
    id: runtime.uuid(),
    at: runtime.now(),
    actor,
    ...facts,
    changes,
  };
  const expireIn = ttlMs;
  step.set(keys.auditEntry(tenant, entry.at, entry.id), entry, { expireIn });
  for (const filter of filterKeysOf(entry)) {
    const place = [entry.at, entry.id];
    step.set(keys.auditEntryByFilter(tenant, filter, entry.at, entry.id), place, { expireIn });
  }
}

/** What a list of entries may be narrowed to; both together are a filter of their own. */
export interface AuditFilter {
  kind?: AuditKind | undefined;
  /** A user's or an API key's id, `command_line`, `service` or `anonymous`. */
  actor?: string | undefined;
}

/** The name of a filter in the index; `undefined` where nothing is filtered. */
export function filterKey({ kind, actor }: AuditFilter): string | undefined {
  if (kind === undefined && actor === undefined) return undefined;
  return `${kind ?? "*"} ${actor ?? "*"}`;
}

function filterKeysOf({ kind, actor }: AuditEntry): string[] {
  const who = "id" in actor ? actor.id : actor.kind;
  const filters = [{ kind }, { actor: who }, { kind, actor: who }];
  return filters.map((one) => filterKey(one)!);
}
