import { z } from "zod";
import { COVERAGES } from "../../schemas/coverage.ts";
import { FINISH_REASONS } from "../../schemas/error_codes.ts";
import { bytesSchema } from "../values/chunks.ts";

/** What was done about a group of questions. */
export const markSchema = z.object({
  v: z.literal(1),
  agentId: z.string(),
  /** `written`: a document was made. `answered`: it helped when the questions were asked again. */
  state: z.enum(["dismissed", "written", "answered"]),
  /** Questions after this time are new. */
  at: z.int(),
  /** The document with the answer. */
  knowledgeBaseId: z.string().optional(),
  documentId: z.string().optional(),
  /** The job that asks again, or did so last. */
  jobId: z.string().optional(),
  exp: z.int(),
});
export type UnansweredMark = z.infer<typeof markSchema>;

/** The answer to a question that was asked again. Times in milliseconds, `cost` in micro-USD. */
export const askedAgainSchema = z.object({
  v: z.literal(1),
  at: z.int(),
  coverage: z.enum(COVERAGES).optional(),
  /** The new document was among the passages that were found. */
  foundDocument: z.boolean(),
  finishReason: z.enum(FINISH_REASONS),
  cost: z.int().nonnegative(),
  /** The words of both answers and the sources of the new one, encrypted. */
  sealed: bytesSchema,
  exp: z.int(),
});
export type AskedAgainRecord = z.infer<typeof askedAgainSchema>;

export const askedAgainWordsSchema = z.object({
  before: z.string(),
  after: z.string(),
  sources: z.array(z.string()),
});
export type AskedAgainWords = z.infer<typeof askedAgainWordsSchema>;
