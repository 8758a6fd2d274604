import { z } from "zod";
import { TEST_BOUNDS as B } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { TOOL_NAME } from "./tool_definition.ts";
import { jsonValueSchema, pageSchema } from "./value_schemas.ts";

const text = plainText(z.string().min(1).max(B.textLength));
const caseSensitive = z.boolean().optional().describe("Default: `false`.");
const toolName = z.string().regex(TOOL_NAME, "must match ^[a-zA-Z][a-zA-Z0-9_-]{0,63}$");
const json = z.record(z.string(), jsonValueSchema);

const containsSchema = z.strictObject({ type: z.literal("contains"), text, caseSensitive });
const notContainsSchema = z.strictObject({ type: z.literal("not_contains"), text, caseSensitive });
const citesDocumentSchema = z.strictObject({
  type: z.literal("cites_document"),
  documentId: z.uuid().toLowerCase().optional(),
  title: text.optional().describe("The document's whole title; case does not matter."),
}).refine(({ documentId, title }) => documentId !== undefined || title !== undefined, {
  message: "needs the documentId or the title of a document",
}).describe("The answer draws on this document. With both, both must match.");
const callsToolSchema = z.strictObject({
  type: z.literal("calls_tool"),
  name: toolName,
  arguments: json.optional().describe("A part of the arguments: other fields may have any value."),
});
const jsonSchemaSchema = z.strictObject({
  type: z.literal("json_schema"),
  schema: json.describe("A JSON Schema (2020-12 or draft 7) of at most 16 KiB."),
}).describe("The answer is JSON, and valid.");
const judgedSchema = z.strictObject({
  type: z.literal("judged"),
  rubric: plainText(z.string().min(1).max(B.rubricLength)),
  minScore: z.int().min(0).max(B.maxScore).optional()
    .describe("The minimum score that passes; without it the judge decides."),
}).describe("The test set's `judge` grades the answer by a rubric, with a score from 0 to 10.");

/** What an answer must fulfil. */
export const expectationSchema = z.discriminatedUnion("type", [
  containsSchema,
  notContainsSchema,
  citesDocumentSchema,
  callsToolSchema,
  jsonSchemaSchema,
  judgedSchema,
]);
export type Expectation = z.infer<typeof expectationSchema>;

const turnSchema = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: plainText(z.string().min(1).max(B.questionLength)),
});

const toolResultSchema = z.strictObject({
  name: toolName,
  arguments: json.optional().describe("Only for a call with these arguments; else for any."),
  output: jsonValueSchema,
});
export type ToolResult = z.infer<typeof toolResultSchema>;

const fields = {
  name: plainText(z.string().trim().min(1).max(B.nameLength)).optional(),
  question: plainText(z.string().min(1).max(B.questionLength)),
  history: z.array(turnSchema).max(B.history).optional().describe("The turns before the question."),
  expectations: z.array(expectationSchema).max(B.expectations)
    .describe("All must be met. With `[]`, any answer without an error passes."),
  toolResults: z.array(toolResultSchema).max(B.toolResults).optional().describe(
    "What tools answer. No tool is executed but `search_knowledge`; without a result here, the model " +
      "is informed that the call was not executed.",
  ),
  tags: z.array(plainText(z.string().trim().min(1).max(B.tagLength))).max(B.tags).optional(),
  enabled: z.boolean().default(true).describe("Whether runs ask it."),
};

/** Body of `PUT /v1/test-sets/:id/cases/:caseId`, and a line of an import. */
export const testCaseBodySchema = z.strictObject(fields).superRefine((body, ctx) => {
  if (new TextEncoder().encode(JSON.stringify(body)).length <= B.caseBytes) return;
  ctx.addIssue({ code: "custom", message: "must be at most 32 KiB", params: { code: "too_big" } });
});
export type TestCaseBody = z.infer<typeof testCaseBodySchema>;

/** Body of `POST /v1/test-sets/:id/cases`. */
export const newTestCasesSchema = z.strictObject({
  cases: z.array(testCaseBodySchema).min(1).max(B.casesPerRequest),
});

/** Body of `POST /v1/test-sets/:id/cases/from-run`. */
export const testCaseSourceSchema = z.strictObject({
  runId: z.uuid().toLowerCase().describe("An ended run of a stored conversation."),
});

export const newTestCaseIdsSchema = z.object({
  ids: z.array(z.uuid()).describe("In the order of the cases."),
});
export type NewTestCaseIds = z.infer<typeof newTestCaseIdsSchema>;

export const testCaseSchema = z.object({
  id: z.uuid(),
  ...fields,
  enabled: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type TestCase = z.infer<typeof testCaseSchema>;

export const testCasePageSchema = pageSchema(testCaseSchema, "Oldest first.");

/** By their names in the API document. */
export const TEST_CASE_SCHEMAS = {
  Expectation: expectationSchema,
  ContainsExpectation: containsSchema,
  NotContainsExpectation: notContainsSchema,
  CitesDocumentExpectation: citesDocumentSchema,
  CallsToolExpectation: callsToolSchema,
  JsonSchemaExpectation: jsonSchemaSchema,
  JudgedExpectation: judgedSchema,
  TestTurn: turnSchema,
  TestToolResult: toolResultSchema,
  TestCaseBody: testCaseBodySchema,
  NewTestCases: newTestCasesSchema,
  TestCaseSource: testCaseSourceSchema,
  NewTestCaseIds: newTestCaseIdsSchema,
  TestCase: testCaseSchema,
  TestCasePage: testCasePageSchema,
};
