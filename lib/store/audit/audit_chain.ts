import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../../platform/canonical_json.ts";

/** What the chain covers of an entry besides its place. Outlives the entry, so it names no person. */
const chainedFields = {
  v: z.literal(1),
  /** SHA-256 of the entry, see `hashEntry`. */
  hash: z.string(),
  expiresAt: z.int(),
  kind: z.string(),
  action: z.string(),
  /** A user's or an API key's id, or the kind of actor. */
  actor: z.string(),
  /** The entry was found without a place in the queue: an earlier release wrote it, or somebody by hand. */
  late: z.literal(true).optional(),
};

/** An entry that waits to be chained. */
export const queuedEntrySchema = z.object(chainedFields);
export type QueuedEntry = z.infer<typeof queuedEntrySchema>;

export const auditLinkSchema = z.object({
  ...chainedFields,
  at: z.int(),
  id: z.string(),
  /** SHA-256 of the previous link's and everything above, see `chainOf`. */
  chain: z.string(),
});
export type AuditLink = z.infer<typeof auditLinkSchema>;

export const auditHeadSchema = z.object({
  v: z.literal(1),
  sequence: z.int().nonnegative(),
  chain: z.string(),
});
export type AuditHead = z.infer<typeof auditHeadSchema>;

export const signedHeadSchema = auditHeadSchema.extend({
  at: z.int(),
  keyId: z.string(),
  signature: z.string(),
});
export type SignedHead = z.infer<typeof signedHeadSchema>;

/** The head of a log without links. Contains the tenant, so that no log passes for another's. */
export function emptyHead(tenant: string): AuditHead {
  return { v: 1, sequence: 0, chain: sha256(`agent-chat audit chain v1\n${tenant}`) };
}

/** SHA-256 of an entry's canonical JSON (RFC 8785) without `exp`, which a plan may change, in base64url. */
export function hashEntry(entry: object): string {
  return sha256(canonicalJson({ ...entry, exp: undefined }));
}

/** The hash of link `sequence`: of the previous one's, a line feed, and the canonical JSON of the link. */
export function chainOf(
  previous: string,
  { v: _v, ...link }: Omit<AuditLink, "chain">,
  sequence: number,
): string {
  return sha256(`${previous}\n${canonicalJson({ ...link, chain: undefined, sequence })}`);
}

/** What a signature is for: the head of a day, or that the links up to here may be missing. */
export type SignedAs = "head" | "checkpoint";

/** What is signed of a head. A head is no checkpoint: otherwise all links up to it could be deleted. */
export function signedHeadText(
  tenant: string,
  { sequence, chain, at }: Pick<SignedHead, "sequence" | "chain" | "at">,
  as: SignedAs,
): string {
  return `agent-chat audit ${as} v1\n${canonicalJson({ tenant, sequence, chain, at })}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
