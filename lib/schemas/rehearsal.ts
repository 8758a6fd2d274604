import { z } from "zod";
import { FINISH_REASONS } from "./error_codes.ts";
import {
  countSchema as count,
  jsonValueSchema,
  nextCursorSchema as nextCursor,
  pageSchema,
  usdSchema as usd,
} from "./value_schemas.ts";

export const REHEARSAL_BOUNDS = { runs: 100, budgetUsd: 100, days: 30 } as const;

/** Which runs are replayed. */
export const REHEARSED_RUNS = ["all", "with_tools", "rated_down"] as const;

export const newRehearsalSchema = z.strictObject({
  version: count.positive().optional().describe("The version to try; by default the latest."),
  runs: count.min(1).max(REHEARSAL_BOUNDS.runs).default(20)
    .describe("How many of the agent's latest runs are replayed, at most."),
  only: z.enum(REHEARSED_RUNS).default("all")
    .describe(
      "`with_tools`: runs that called a tool. `rated_down`: runs that visitors rated down.",
    ),
  budgetUsd: z.number().positive().max(REHEARSAL_BOUNDS.budgetUsd).describe(
    "What it may cost. The amount is set aside before it begins, within the tenant's day; it ends when " +
      "the amount is used up, and what is left is free again.",
  ),
});
export type NewRehearsal = z.infer<typeof newRehearsalSchema>;

export const REHEARSAL_STATES = [
  "running",
  "done",
  "stopped",
  "out_of_budget",
  "interrupted",
] as const;

const sumSchema = z.object({
  costUsd: usd.describe("Exact to a millionth."),
  latencyMs: count.describe("Of all answers together, milliseconds."),
});

export const rehearsalSchema = z.object({
  id: z.uuid(),
  agentId: z.uuid(),
  version: count.positive().describe("The version that is tried."),
  only: z.enum(REHEARSED_RUNS),
  state: z.enum(REHEARSAL_STATES)
    .describe("`interrupted`: its process ended. `out_of_budget`: its budget was used up."),
  runs: count.describe("How many runs were found to replay."),
  done: count.describe("How many of them were replayed."),
  changed: count.describe("Answers with other words."),
  changedSources: count.describe("Answers from other documents."),
  differingCalls: count.describe(
    "Tool calls that the recorded runs did not make. They were not made either: the model was informed " +
      "that there is no result.",
  ),
  failed: count.describe("Replays that ended with an error."),
  before: sumSchema.describe("The recorded answers of the replayed runs."),
  after: sumSchema.describe("Their replays: what the rehearsal has cost."),
  budgetUsd: usd,
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime().describe("When it is deleted."),
});
export type Rehearsal = z.infer<typeof rehearsalSchema>;

export const rehearsalPageSchema = pageSchema(rehearsalSchema, "Newest first.");

const rehearsedCallSchema = z.object({
  name: z.string(),
  args: jsonValueSchema,
  output: jsonValueSchema.optional().describe("Absent if the run ended earlier."),
  differs: z.literal(true).optional().describe("The recorded run made no such call."),
});

export const rehearsedAnswerSchema = z.object({
  text: z.string().describe("At most 16,000 characters."),
  calls: z.array(rehearsedCallSchema).describe("Long arguments and outputs are left out."),
  sources: z.array(z.string()).describe("The titles of the documents that the answer draws on."),
  costUsd: usd,
  latencyMs: count,
  finishReason: z.enum([...FINISH_REASONS, "interrupted"]),
  errorCode: z.string().optional(),
});
export type RehearsedAnswer = z.infer<typeof rehearsedAnswerSchema>;

export const rehearsedRunSchema = z.object({
  runId: z.uuid(),
  conversationId: z.uuid(),
  agentVersion: count.positive().describe("The version that had answered."),
  question: z.string().describe("At most 4,000 characters."),
  unreadable: z.literal(true).optional()
    .describe("The words cannot be decrypted; the texts and calls are empty."),
  before: rehearsedAnswerSchema,
  after: rehearsedAnswerSchema,
});
export type RehearsedRun = z.infer<typeof rehearsedRunSchema>;

/** Answer of `GET /v1/agents/:id/rehearsals/:rehearsalId`. */
export const rehearsalReportSchema = rehearsalSchema.extend({
  results: z.array(rehearsedRunSchema)
    .describe("In the order in which they ended. Those of deleted conversations are gone."),
  nextCursor,
});
export type RehearsalReport = z.infer<typeof rehearsalReportSchema>;

/** By their names in the API document. */
export const REHEARSAL_SCHEMAS = {
  NewRehearsal: newRehearsalSchema,
  Rehearsal: rehearsalSchema,
  RehearsalPage: rehearsalPageSchema,
  RehearsalReport: rehearsalReportSchema,
  RehearsedRun: rehearsedRunSchema,
  RehearsedAnswer: rehearsedAnswerSchema,
  RehearsedCall: rehearsedCallSchema,
};
