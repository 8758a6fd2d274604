import { z } from "zod";
import { messageAttachmentSchema } from "./attachment.ts";
import { conversationSchema } from "./conversation.ts";
import { frameSchema } from "./frames.ts";
import { runSealSchema, sealKeySchema } from "./run_seal.ts";
import { countSchema as count } from "./value_schemas.ts";

const digest = runSealSchema.shape.keyId;

/** The first line of a sealed export. */
const headLineSchema = z.strictObject({
  type: z.literal("export"),
  v: z.literal(1),
  exportedAt: z.iso.datetime(),
  conversation: conversationSchema,
});

/** The message that a run answered. */
const sealedQuestionSchema = z.strictObject({
  role: z.literal("user"),
  content: z.string(),
  attachments: z.array(messageAttachmentSchema).optional(),
});

/** A run with what its seal covers. */
const runLineSchema = z.strictObject({
  type: z.literal("run"),
  runId: z.uuid(),
  question: sealedQuestionSchema.optional(),
  frames: z.array(frameSchema).optional().describe(
    "Absent if they were not stored, or are unreadable.",
  ),
  seal: runSealSchema.optional().describe("Absent for runs of early releases."),
});
export type SealedRunLine = z.infer<typeof runLineSchema>;

/** The last line. Its signature covers every byte before it. */
const endLineSchema = z.strictObject({
  type: z.literal("end"),
  lines: count.positive().describe("The number of lines before this one."),
  digest: digest.describe("SHA-256 of all bytes before this line."),
  keys: z.array(sealKeySchema).describe("The installation's keys."),
  keyId: digest,
  signature: runSealSchema.shape.signature.describe(
    "Ed25519, in base64url, over `agent-chat export v1`, a line feed and the canonical JSON of the other fields.",
  ),
});
export type SealedEndLine = z.infer<typeof endLineSchema>;

/** A line of `GET /v1/conversations/:id/export`. */
export const sealedExportLineSchema = z.discriminatedUnion("type", [
  headLineSchema,
  runLineSchema,
  endLineSchema,
]);
export type SealedExportLine = z.infer<typeof sealedExportLineSchema>;

/** By their names in the API document. */
export const SEALED_EXPORT_SCHEMAS = {
  SealedExportLine: sealedExportLineSchema,
  SealedExportHead: headLineSchema,
  SealedRun: runLineSchema,
  SealedQuestion: sealedQuestionSchema,
  SealedExportEnd: endLineSchema,
};
