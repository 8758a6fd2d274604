import { z } from "zod";
import { FINISH_REASONS, STREAM_ERROR_CODES } from "./error_codes.ts";
import { PROVIDER_IDS } from "./provider_id.ts";
import { countSchema as count, usdSchema as usd } from "./value_schemas.ts";

/** SHA-256 in base64url. */
const digest = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** What the service signs about an ended run. */
export const sealStatementSchema = z.strictObject({
  v: z.literal(1),
  runId: z.uuid(),
  conversationId: z.uuid(),
  number: count.optional().describe(
    "The run's number in its stored conversation, from 0 and without gaps; absent if it is not stored.",
  ),
  agentId: z.uuid(),
  agentVersion: count.positive(),
  agentDigest: digest.optional().describe(
    "SHA-256 of the agent's version: of its canonical JSON (RFC 8785) without `id`, `version`, " +
      "`createdAt` and `updatedAt`. Absent if the process of the run died.",
  ),
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  finishReason: z.enum([...FINISH_REASONS, "interrupted"]),
  errorCode: z.enum(STREAM_ERROR_CODES).optional(),
  inputTokens: count,
  outputTokens: count,
  costUsd: usd.describe("What the run was charged."),
  question: digest.optional().describe(
    "SHA-256 of the nonce and the canonical JSON of the answered message: `role`, `content`, and the " +
      "ids in `attachments`, if it has some. Absent if the message was lost with its process.",
  ),
  frames: count.positive().describe("How many frames the run has."),
  head: digest.describe(
    "The head of their chain: h(0) is the nonce, and h(n) is SHA-256 of h(n-1) and the canonical JSON " +
      "of frame n.",
  ),
});
export type SealStatement = z.infer<typeof sealStatementSchema>;

/** A signed statement about a run. */
export const runSealSchema = z.strictObject({
  statement: sealStatementSchema,
  nonce: z.string().regex(/^[A-Za-z0-9_-]{22}$/).describe(
    "16 random bytes in base64url, without which nothing can be guessed from the digests.",
  ),
  keyId: digest.describe("The key that signed it: one of `GET /v1/seal-keys`."),
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/).describe(
    "Ed25519, in base64url, over `agent-chat run seal v1`, a line feed and the statement's canonical JSON.",
  ),
});
export type RunSeal = z.infer<typeof runSealSchema>;

/** A public key as a JSON Web Key; `kid` is its thumbprint (RFC 7638). */
export const sealKeySchema = z.strictObject({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: digest,
  kid: digest,
});
export type SealKey = z.infer<typeof sealKeySchema>;

export const sealKeysSchema = z.strictObject({
  keys: z.array(sealKeySchema).describe("Oldest first; the last one signs."),
});

/** By their names in the API document. */
export const SEAL_SCHEMAS = {
  RunSeal: runSealSchema,
  SealStatement: sealStatementSchema,
  SealKey: sealKeySchema,
  SealKeys: sealKeysSchema,
};
