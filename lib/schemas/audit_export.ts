import { z } from "zod";

/** The lines of an audit log as JSON lines, so that a file can be verified without the service. */
const start = z.object({ sequence: z.int().nonnegative(), chain: z.string() });
const signedHead = start.extend({
  v: z.literal(1),
  at: z.int(),
  keyId: z.string(),
  signature: z.string(),
});
const placed = { sequence: z.int().positive(), hash: z.string(), chain: z.string() };
const late = z.literal(true).optional();

export const auditExportLineSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("audit_log"),
    v: z.literal(1),
    /** A tenant's id, or `installation`. */
    log: z.string(),
    exportedAt: z.iso.datetime(),
    /** Without filters, the file has every link. */
    filters: z.record(z.string(), z.string()),
    /** What the first link continues. */
    after: start,
  }),
  z.object({
    type: z.literal("entry"),
    ...placed,
    expiresAt: z.int(),
    late,
    /** As stored. */
    entry: z.looseObject({ id: z.string(), at: z.int() }),
  }),
  /** The link of an entry that has expired, or is missing. */
  z.object({
    type: z.literal("link"),
    ...placed,
    expiresAt: z.int(),
    late,
    at: z.int(),
    id: z.string(),
    kind: z.string(),
    action: z.string(),
    actor: z.string(),
  }),
  /** An entry that is not chained yet. */
  z.object({ type: z.literal("unchained"), entry: z.looseObject({ id: z.string() }) }),
  z.object({
    type: z.literal("end"),
    lines: z.int(),
    /** When the last line was written; entries may have expired since `exportedAt`. */
    finishedAt: z.iso.datetime().optional(),
    checkpoint: signedHead.optional(),
    signedHeads: z.array(signedHead),
    /** The public keys of the installation, as JSON Web Keys. */
    keys: z.array(z.object({
      kty: z.literal("OKP"),
      crv: z.literal("Ed25519"),
      x: z.string(),
      kid: z.string(),
    })),
  }),
]);
export type AuditExportLine = z.infer<typeof auditExportLineSchema>;
