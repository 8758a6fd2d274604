import { z } from "zod";
import { FINISH_REASONS } from "./error_codes.ts";
import { testBudgetSchema, testJudgeSchema, testThresholdSchema } from "./test_set.ts";
import {
  countSchema as count,
  jsonValueSchema,
  pageSchema,
  usdSchema as usd,
} from "./value_schemas.ts";

/** `published`: what visitors get. `draft`: what was saved last. */
export const TESTED_VERSIONS = ["published", "draft"] as const;

/** Body of `POST /v1/test-sets/:id/runs`. */
export const newTestRunSchema = z.strictObject({
  agentId: z.uuid().toLowerCase().optional().describe("By default the test set's agent."),
  version: z.union([count.positive(), z.enum(TESTED_VERSIONS)]).default("draft")
    .describe("`published` is what visitors get, `draft` what was saved last."),
  threshold: testThresholdSchema.optional().describe("By default the test set's."),
  budgetUsd: testBudgetSchema.optional().describe("By default the test set's."),
});
export type NewTestRun = z.infer<typeof newTestRunSchema>;

export const TEST_RUN_STATES = [
  "running",
  "done",
  "stopped",
  "out_of_budget",
  "interrupted",
] as const;

export const testRunSchema = z.object({
  id: z.uuid(),
  testSetId: z.uuid(),
  agentId: z.uuid(),
  version: count.positive(),
  casesRevision: count.describe("The test set's when the run began."),
  state: z.enum(TEST_RUN_STATES).describe(
    "`out_of_budget`: its budget was used up. `interrupted`: its process ended; it can be resumed.",
  ),
  cases: count.describe("The enabled cases when it began."),
  passed: count,
  failed: count,
  errored: count.describe("The agent or the judge did not answer."),
  notRun: count,
  share: z.number().min(0).max(1).describe("Of all cases, those that passed."),
  threshold: testThresholdSchema,
  isPassed: z.boolean().optional().describe(
    "Whether every case was run and the share reaches the threshold; absent while it runs.",
  ),
  judge: testJudgeSchema.optional(),
  costUsd: usd.describe("Of agent and judge, exact to a millionth."),
  latencyMs: count.describe("Of all answers together, milliseconds."),
  budgetUsd: usd,
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
});
export type TestRun = z.infer<typeof testRunSchema>;

export const testRunPageSchema = pageSchema(testRunSchema, "Newest first.");

export const TEST_OUTCOMES = ["passed", "failed", "errored"] as const;
export type TestOutcome = typeof TEST_OUTCOMES[number];

const checkSchema = z.object({
  type: z.string().describe("The expectation's."),
  expected: z.string().describe("The expectation in short."),
  passed: z.boolean(),
  score: count.optional().describe("The judge's, from 0 to 10."),
  reason: z.string().optional().describe("Why it is not met, or what the judge says."),
});
export type TestCheck = z.infer<typeof checkSchema>;

const callSchema = z.object({
  name: z.string(),
  args: jsonValueSchema,
  output: jsonValueSchema.optional().describe("Absent if the run ended earlier."),
  notExecuted: z.literal(true).optional().describe("The case has no result for it."),
});

const sourceSchema = z.object({ documentId: z.string(), title: z.string() });

/** What is encrypted of a result. */
export const testWordsSchema = z.object({
  name: z.string().optional(),
  question: z.string(),
  answer: z.string().describe("At most 8,000 characters."),
  calls: z.array(callSchema).describe("At most 8. Long arguments and outputs are shortened."),
  sources: z.array(sourceSchema).describe("The documents that the answer draws on."),
  checks: z.array(checkSchema),
});
export type TestWords = z.infer<typeof testWordsSchema>;

export const testResultSchema = testWordsSchema.extend({
  caseId: z.uuid(),
  outcome: z.enum(TEST_OUTCOMES),
  unreadable: z.literal(true).optional()
    .describe("The words cannot be decrypted; the texts are empty."),
  costUsd: usd,
  latencyMs: count,
  finishReason: z.enum(FINISH_REASONS),
  errorCode: z.string().optional(),
});
export type TestResult = z.infer<typeof testResultSchema>;

export const testResultPageSchema = pageSchema(testResultSchema, "In the order of the cases.");

const changedCaseSchema = z.object({
  caseId: z.uuid(),
  name: z.string().optional(),
  question: z.string().describe("At most 200 characters."),
  before: z.enum(TEST_OUTCOMES),
  after: z.enum(TEST_OUTCOMES),
});
export type ChangedCase = z.infer<typeof changedCaseSchema>;

/** Answer of `GET /v1/test-sets/:id/runs/:testRunId/comparison`. */
export const testComparisonSchema = z.object({
  before: testRunSchema,
  after: testRunSchema,
  newlyFailed: z.array(changedCaseSchema).describe("Passed before, and do not now."),
  newlyPassed: z.array(changedCaseSchema).describe("Did not pass before, and do now."),
  otherCases: count.describe("Cases that only one of the runs has reached."),
  costUsd: z.number().describe("How much more this run costs than the other; negative for less."),
  latencyMs: z.int().describe("The same for the time of all answers."),
});
export type TestComparison = z.infer<typeof testComparisonSchema>;

/** Of exported results. */
export const RESULT_FORMATS = ["jsonl", "csv"] as const;
export type ResultFormat = typeof RESULT_FORMATS[number];

/** By their names in the API document. */
export const TEST_RUN_SCHEMAS = {
  NewTestRun: newTestRunSchema,
  TestRun: testRunSchema,
  TestRunPage: testRunPageSchema,
  TestCheck: checkSchema,
  TestCall: callSchema,
  TestSource: sourceSchema,
  TestResult: testResultSchema,
  TestResultPage: testResultPageSchema,
  ChangedCase: changedCaseSchema,
  TestComparison: testComparisonSchema,
};
