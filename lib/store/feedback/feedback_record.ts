import { z } from "zod";
import { type Rating, RATINGS } from "../../schemas/rating.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { bytesSchema } from "../values/chunks.ts";

/** The feedback on one answer. Times in milliseconds. */
export const feedbackRecordSchema = z.object({
  v: z.literal(1),
  rating: z.enum(RATINGS),
  ratedAt: z.int(),
  /** The words of the visitor are encrypted; that there is a comment is not. */
  commented: z.literal(true).optional(),
  sealed: bytesSchema.optional(),
  /** The end of life, whatever the store still holds. */
  exp: z.int(),
});
export type FeedbackRecord = z.infer<typeof feedbackRecordSchema>;

const sealedSchema = z.object({
  comment: z.string(),
  reasons: z.array(z.string()),
}).partial();

/** Feedback as a visitor gave it. */
export interface GivenFeedback {
  rating: Rating;
  comment?: string | undefined;
  reasons?: readonly string[] | undefined;
}

/** Feedback as it is read. */
export interface StoredFeedback {
  rating: Rating;
  ratedAt: number;
  comment?: string;
  reasons?: string[];
  /** Its comment and reasons cannot be decrypted. */
  unreadable?: true;
}

/** Identifies the rated run. */
interface RunName {
  tenant: string;
  runId: string;
}

export function sealFeedback(
  { rating, comment, reasons = [] }: GivenFeedback,
  { tenant, runId, content, ratedAt, exp }: RunName & {
    content: ContentCipher;
    ratedAt: number;
    exp: number;
  },
): FeedbackRecord {
  const record: FeedbackRecord = { v: 1, rating, ratedAt, exp };
  if (comment === undefined && reasons.length === 0) return record;
  const details = {
    ...(comment !== undefined && { comment }),
    ...(reasons.length > 0 && { reasons: [...new Set(reasons)] }),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(details));
  const sealed = content.sealSync(bytes, contentContexts.feedback(tenant, runId));
  return { ...record, ...(comment !== undefined && { commented: true }), sealed };
}

/** Without comment and reasons if they cannot be decrypted. */
export async function unsealFeedback(
  { rating, ratedAt, sealed }: FeedbackRecord,
  { tenant, runId, content }: RunName & { content: ContentCipher },
): Promise<StoredFeedback> {
  const known = { rating, ratedAt };
  if (sealed === undefined) return known;
  try {
    const bytes = await content.unseal(sealed, contentContexts.feedback(tenant, runId));
    const { comment, reasons } = sealedSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
    return { ...known, ...(comment !== undefined && { comment }), ...(reasons && { reasons }) };
  } catch (error) {
    if (error instanceof UnreadableContentError) return { ...known, unreadable: true };
    throw error;
  }
}
