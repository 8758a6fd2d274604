import { z } from "zod";
import { currentActor } from "../audit/actor.ts";
import { isoTime } from "../../platform/runtime.ts";
import type { KeyRestrictions } from "../../schemas/api_key.ts";
import { type Scope, SCOPE_NAMES } from "../../schemas/scopes.ts";

export const apiKeyRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.uuid(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPE_NAMES)),
  createdAt: z.int(),
  expiresAt: z.int().optional(),
  revokedAt: z.int().optional(),
  /** One, or two while a rotation overlaps; `hash` is the keyed HMAC of the secret part. */
  secrets: z.array(z.object({
    prefix: z.string(),
    hash: z.string(),
    /** The id of the HMAC secret; absent in keys of earlier releases. */
    signedBy: z.string().optional(),
    createdAt: z.int(),
    expiresAt: z.int().optional(),
  })).min(1).max(2),
  /** What it is for, in the words of the person who created it. */
  purpose: z.string().optional(),
  /** Absent in keys of earlier releases. */
  createdBy: z.object({ kind: z.enum(["user", "command_line"]), id: z.string().optional() })
    .optional(),
  /**
   * Of a restricted key, whose own expiry is here: its `expiresAt` is in the past, so that a process
   * that does not know restrictions takes it for an expired key, and never for an unrestricted one.
   */
  restrictions: z.object({
    agents: z.array(z.string()).optional(),
    addresses: z.array(z.string()).optional(),
    expiresAt: z.int().optional(),
  }).optional(),
});
export type ApiKeyRecord = z.infer<typeof apiKeyRecordSchema>;

/** When a key was last used, to the minute, and from which network. */
export type LastUse = { at: number; from?: string | undefined };

/** An API key as people see it: never its secret, never its hash. Times are ISO 8601 UTC. */
export interface ApiKey {
  id: string;
  name: string;
  scopes: Scope[];
  state: "active" | "revoked" | "expired";
  createdAt: string;
  /** `id` is a user's. */
  createdBy?: { kind: "user" | "command_line"; id?: string | undefined };
  purpose?: string;
  lastUsedAt?: string;
  /** The network that it was last used from; never a whole IPv4 address. */
  lastUsedFrom?: string;
  expiresAt?: string;
  revokedAt?: string;
  /** The ids of the agents that it is restricted to. */
  agents?: string[];
  /** The networks that it is restricted to, in CIDR notation. */
  addresses?: string[];
  secrets: { prefix: string; createdAt: string; expiresAt?: string }[];
}

export function apiKeyState(record: ApiKeyRecord, now: number): ApiKey["state"] {
  if (record.revokedAt !== undefined) return "revoked";
  return (apiKeyExpiry(record) ?? Infinity) <= now ? "expired" : "active";
}

/** When a key expires, restricted or not; `undefined` for never. */
export function apiKeyExpiry({ restrictions, expiresAt }: ApiKeyRecord): number | undefined {
  return restrictions === undefined ? expiresAt : restrictions.expiresAt;
}

/** The record with exactly these restrictions; without any, the key is unrestricted. */
export function withRestrictions(
  record: ApiKeyRecord,
  { agents, addresses }: KeyRestrictions,
): ApiKeyRecord {
  const { restrictions: _, expiresAt: __, ...rest } = record;
  const end = apiKeyExpiry(record);
  const own = end === undefined ? {} : { expiresAt: end };
  if (agents === undefined && addresses === undefined) return { ...rest, ...own };
  const restrictions = { ...agents && { agents }, ...addresses && { addresses }, ...own };
  return { ...rest, expiresAt: record.createdAt, restrictions };
}

export function toApiKey(
  record: ApiKeyRecord,
  { now, lastUse }: { now: number; lastUse?: LastUse | undefined },
): ApiKey {
  const { purpose, createdBy, revokedAt, restrictions: { agents, addresses } = {} } = record;
  const expiresAt = apiKeyExpiry(record);
  return {
    id: record.id,
    name: record.name,
    scopes: record.scopes,
    state: apiKeyState(record, now),
    createdAt: isoTime(record.createdAt),
    // Rounded to the minute, the first use may seem to precede the creation.
    ...lastUse && { lastUsedAt: isoTime(Math.max(lastUse.at, record.createdAt)) },
    ...lastUse?.from !== undefined && { lastUsedFrom: lastUse.from },
    ...expiresAt !== undefined && { expiresAt: isoTime(expiresAt) },
    ...revokedAt !== undefined && { revokedAt: isoTime(revokedAt) },
    ...purpose !== undefined && { purpose },
    ...createdBy && { createdBy },
    ...agents && { agents },
    ...addresses && { addresses },
    secrets: record.secrets.map((secret) => ({
      prefix: secret.prefix,
      createdAt: isoTime(secret.createdAt),
      ...(secret.expiresAt === undefined ? {} : { expiresAt: isoTime(secret.expiresAt) }),
    })),
  };
}

/** The fields that the audit log records: never a hash. */
export function auditedFields(record: ApiKeyRecord) {
  const { name, purpose, scopes, revokedAt, secrets, restrictions } = record;
  const expiresAt = apiKeyExpiry(record);
  return {
    name,
    purpose,
    agents: restrictions?.agents?.join(", "),
    addresses: restrictions?.addresses?.join(", "),
    scopes: scopes.join(", "),
    expiresAt: expiresAt === undefined ? undefined : isoTime(expiresAt),
    revokedAt: revokedAt === undefined ? undefined : isoTime(revokedAt),
    secrets: secrets.map(({ prefix, expiresAt: end }) =>
      end === undefined ? prefix : `${prefix} until ${isoTime(end)}`
    ).join(", "),
  };
}

/** The user or command line that creates a key; `undefined` for the service itself. */
export function creator(): ApiKeyRecord["createdBy"] {
  const actor = currentActor();
  if (actor.kind === "user") return { kind: "user", id: actor.id };
  return actor.kind === "command_line" ? { kind: actor.kind } : undefined;
}
