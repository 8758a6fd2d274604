import { z } from "zod";
import { agentBodySchema } from "./agent.ts";
import { resourceKeySchema } from "./configuration.ts";
import { knowledgeBaseBodySchema } from "./knowledge.ts";
import { FIELD_BOUNDS, TEST_BOUNDS } from "./limits.ts";
import { testCaseBodySchema } from "./test_case.ts";
import { testSetBodySchema } from "./test_set.ts";
import {
  agentToolSchema,
  clientToolSchema,
  httpToolSchema,
  mcpToolSchema,
} from "./tool_definition.ts";

/** What an agent of a file may cost unless it says so. */
export const DEFAULT_FILE_BUDGET = { maxCostUsd: 0.25, maxSteps: 8, wallClockMs: 60_000 };

const head = {
  $schema: z.string().optional().describe("For editors, in files of JSON."),
  key: resourceKeySchema.describe(
    "The resource's name in these files: unique among those of its kind, and never changed. `name` may be.",
  ),
  id: z.uuid().toLowerCase().optional().describe(
    "Finds a resource that has no key yet, and gives it this one. Without effect afterwards, and on a " +
      "service that does not have it.",
  ),
};

const agentKey = resourceKeySchema.describe("The key of an agent in this folder.");
const { agentId: _agentId, ...agentTool } = agentToolSchema.shape;
const { knowledgeBaseId: _base, tools: _tools, ...agentFields } = agentBodySchema.shape;
const budget = agentFields.budget;

/** A file of the folder `agents`. Rules between fields are checked with `agentBodySchema`. */
export const agentFileSchema = z.strictObject({
  ...head,
  ...agentFields,
  knowledgeBase: resourceKeySchema.optional()
    .describe("The key of a knowledge base in this folder. It adds the tool `search_knowledge`."),
  budget: z.strictObject({
    maxCostUsd: budget.shape.maxCostUsd.default(DEFAULT_FILE_BUDGET.maxCostUsd),
    maxSteps: budget.shape.maxSteps.default(DEFAULT_FILE_BUDGET.maxSteps),
    wallClockMs: budget.shape.wallClockMs.default(DEFAULT_FILE_BUDGET.wallClockMs),
  }).default(DEFAULT_FILE_BUDGET).describe("Limits of one run."),
  tools: z.array(z.discriminatedUnion("type", [
    httpToolSchema,
    mcpToolSchema,
    clientToolSchema,
    z.strictObject({ ...agentTool, agent: agentKey }),
  ])).max(FIELD_BOUNDS.tools).default([])
    .describe("Secrets are named as `{{secret.NAME}}`; set them in the dashboard."),
  allowedDomains: agentFields.allowedDomains.default([]),
});
export type AgentFile = z.infer<typeof agentFileSchema>;

/** A file of the folder `knowledge`. */
export const knowledgeBaseFileSchema = z.strictObject({
  ...head,
  ...knowledgeBaseBodySchema.shape,
  documents: z.string().min(1).max(512).optional().describe(
    "A folder beside this file: each file in it is a document, whose title is its path. Without it, " +
      "the documents of the base are left alone.",
  ),
  titles: z.record(z.string(), z.string().min(1).max(256)).optional()
    .describe("Titles of documents that are not their path: `returns.md: Returns and refunds`."),
});
export type KnowledgeBaseFile = z.infer<typeof knowledgeBaseFileSchema>;

const { agentId: _testAgent, ...testSetFields } = testSetBodySchema.shape;

/** A file of the folder `test-sets`. */
export const testSetFileSchema = z.strictObject({
  ...head,
  ...testSetFields,
  agent: agentKey,
  cases: z.array(testCaseBodySchema).max(TEST_BOUNDS.casesPerSet).default([]),
});
export type TestSetFile = z.infer<typeof testSetFileSchema>;

/** By their names at `/schemas/`. */
export const FILE_SCHEMAS = {
  agent: agentFileSchema,
  "knowledge-base": knowledgeBaseFileSchema,
  "test-set": testSetFileSchema,
} as const;
export type FileSchemaName = keyof typeof FILE_SCHEMAS;
