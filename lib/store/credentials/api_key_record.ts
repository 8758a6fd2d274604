import { z } from "zod";
import { isoTime } from "../../platform/runtime.ts";
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
});
export type ApiKeyRecord = z.infer<typeof apiKeyRecordSchema>;

/** An API key as people see it: never its secret, never its hash. Times are ISO 8601 UTC. */
export interface ApiKey {
  id: string;
  name: string;
  scopes: Scope[];
  state: "active" | "revoked" | "expired";
  createdAt: string;
  lastUsedAt?: string;
  expiresAt?: string;
  revokedAt?: string;
  secrets: { prefix: string; createdAt: string; expiresAt?: string }[];
}

export function apiKeyState({ revokedAt, expiresAt }: ApiKeyRecord, now: number): ApiKey["state"] {
  if (revokedAt !== undefined) return "revoked";
  return (expiresAt ?? Infinity) <= now ? "expired" : "active";
}

export function toApiKey(
  record: ApiKeyRecord,
  { now, lastUsedAt }: { now: number; lastUsedAt?: number | undefined },
): ApiKey {
  return {
    id: record.id,
    name: record.name,
    scopes: record.scopes,
    state: apiKeyState(record, now),
    createdAt: isoTime(record.createdAt),
    // Rounded to the minute, the first use may seem to precede the creation.
    ...(lastUsedAt === undefined
      ? {}
      : { lastUsedAt: isoTime(Math.max(lastUsedAt, record.createdAt)) }),
    ...(record.expiresAt === undefined ? {} : { expiresAt: isoTime(record.expiresAt) }),
    ...(record.revokedAt === undefined ? {} : { revokedAt: isoTime(record.revokedAt) }),
    secrets: record.secrets.map((secret) => ({
      prefix: secret.prefix,
      createdAt: isoTime(secret.createdAt),
      ...(secret.expiresAt === undefined ? {} : { expiresAt: isoTime(secret.expiresAt) }),
    })),
  };
}

/** The fields that the audit log records: never a hash. */
export function auditedFields({ name, scopes, expiresAt, revokedAt, secrets }: ApiKeyRecord) {
  return {
    name,
    scopes: scopes.join(", "),
    expiresAt: expiresAt === undefined ? undefined : isoTime(expiresAt),
    revokedAt: revokedAt === undefined ? undefined : isoTime(revokedAt),
    secrets: secrets.map(({ prefix, expiresAt: end }) =>
      end === undefined ? prefix : `${prefix} until ${isoTime(end)}`
    ).join(", "),
  };
}
