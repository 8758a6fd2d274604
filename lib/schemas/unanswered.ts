import { z } from "zod";
import { isDay } from "./day_range.ts";
import { COVERAGES } from "./coverage.ts";
import { FINISH_REASONS } from "./error_codes.ts";
import { GAP_REASONS } from "./gap_reasons.ts";
import { documentBodySchema } from "./knowledge.ts";
import { countSchema as count, pageSchema, usdSchema as usd } from "./value_schemas.ts";

/** How many questions of a group are shown, and how many are asked again. */
export const UNANSWERED_BOUNDS = { shown: 50, askedAgain: 5 } as const;

export const UNANSWERED_STATES = ["open", "written", "answered", "dismissed"] as const;
export type UnansweredState = typeof UNANSWERED_STATES[number];

const day = z.string().refine(isDay, "must be a day as YYYY-MM-DD").optional();

/** The query of `GET /v1/unanswered`. */
export const unansweredQuerySchema = z.object({
  reason: z.enum(GAP_REASONS).optional(),
  state: z.enum([...UNANSWERED_STATES, "all"]).optional(),
  from: day,
  to: day,
});

/** Answer of `GET /v1/unanswered`. */
export const unansweredGroupSchema = z.object({
  id: z.uuid().describe("The run of the latest question. Every run of the group names the group."),
  agentId: z.uuid(),
  question: z.string()
    .describe("The most typical question; empty if none can be decrypted."),
  count: count.positive().describe("How often it was asked."),
  reasons: z.object({
    nothing_found: count,
    little_found: count,
    rated_down: count,
    handed_off: count,
  }).describe("How many of the questions have each reason; one may have several."),
  firstAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
  state: z.enum(UNANSWERED_STATES).describe(
    "`written`: a document was made. `answered`: it helped when the questions were asked again. New " +
      "questions open a dismissed or an answered group again.",
  ),
  knowledgeBaseId: z.uuid().optional(),
  documentId: z.uuid().optional().describe("The document that was made as an answer."),
});
export type UnansweredGroup = z.infer<typeof unansweredGroupSchema>;

export const unansweredPageSchema = pageSchema(unansweredGroupSchema, "The most frequent first.");

export const askedAgainSchema = z.object({
  before: z.string().describe("The answer of the conversation."),
  after: z.string(),
  sources: z.array(z.string()).describe(
    "The titles of the documents that the new answer draws on.",
  ),
  coverage: z.enum(COVERAGES).optional().describe("Absent if nothing was searched."),
  foundDocument: z.boolean().describe("The new document is among the passages that were found."),
  finishReason: z.enum(FINISH_REASONS),
  costUsd: usd,
  at: z.iso.datetime(),
});

export const unansweredQuestionSchema = z.object({
  runId: z.uuid(),
  conversationId: z.string(),
  question: z.string(),
  reasons: z.array(z.enum(GAP_REASONS)),
  at: z.iso.datetime(),
  again: askedAgainSchema.optional().describe("What became of it when it was asked again."),
});
export type UnansweredQuestion = z.infer<typeof unansweredQuestionSchema>;

/** Answer of `GET /v1/unanswered/:runId`. */
export const unansweredReportSchema = unansweredGroupSchema.extend({
  asking: z.boolean().describe("The questions are being asked again."),
  questions: z.array(unansweredQuestionSchema)
    .describe(`The latest ${UNANSWERED_BOUNDS.shown}, newest first.`),
});
export type UnansweredReport = z.infer<typeof unansweredReportSchema>;

/** Body of `POST /v1/unanswered/:runId/answer`. */
export const writtenAnswerSchema = documentBodySchema.omit({ mediaType: true }).extend({
  knowledgeBaseId: z.uuid().optional()
    .describe("Where the document is stored; by default the base of the agent."),
});

/** By their names in the API document. */
export const UNANSWERED_SCHEMAS = {
  UnansweredGroup: unansweredGroupSchema,
  UnansweredPage: unansweredPageSchema,
  UnansweredQuestion: unansweredQuestionSchema,
  UnansweredReport: unansweredReportSchema,
  AskedAgain: askedAgainSchema,
  WrittenAnswer: writtenAnswerSchema,
};
