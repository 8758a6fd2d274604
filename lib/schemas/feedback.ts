import { z } from "zod";
import { FIELD_BOUNDS as B } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { RATINGS } from "./rating.ts";
import { countSchema as count } from "./value_schemas.ts";

const rating = z.enum(RATINGS).describe("`up`: the answer helped; `down`: it did not.");
const reasons = z.array(plainText(z.string().min(1).max(B.feedbackReasonLength)))
  .max(B.maxFeedbackReasons);

/** Body of `PUT /v1/chat/runs/:runId/feedback`: it replaces earlier feedback as a whole. */
export const feedbackBodySchema = z.strictObject({
  rating,
  comment: plainText(z.string().min(1).max(B.commentLength)).optional()
    .describe("What the visitor wrote."),
  reasons: reasons.optional().describe(
    "What was wrong or right, in words of your own; the dashboard translates `incorrect`, " +
      "`incomplete`, `off_topic`, `tone` and `other`. Repetitions are stored once.",
  ),
});
export type FeedbackBody = z.infer<typeof feedbackBodySchema>;

/** The feedback on one answer. */
export const feedbackSchema = z.object({
  rating,
  comment: z.string().optional(),
  reasons: reasons.optional(),
  ratedAt: z.iso.datetime().describe("When it was last given."),
  unreadable: z.literal(true).optional()
    .describe("`comment` and `reasons` cannot be decrypted and are absent."),
});
export type Feedback = z.infer<typeof feedbackSchema>;

const counts = { up: count, down: count };

/** Answer of `GET /v1/agents/:id/feedback`. */
export const agentFeedbackSchema = z.object({
  agentId: z.uuid(),
  up: count.describe("Answers of these days that are rated up."),
  down: count.describe("Answers of these days that are rated down."),
  days: z.array(z.object({ day: z.iso.date(), ...counts }))
    .describe("Days with rated answers, in order. A rating counts on the day its answer ended."),
});
export type AgentFeedback = z.infer<typeof agentFeedbackSchema>;

/** By their names in the API document. */
export const FEEDBACK_SCHEMAS = {
  FeedbackBody: feedbackBodySchema,
  Feedback: feedbackSchema,
  AgentFeedback: agentFeedbackSchema,
};
