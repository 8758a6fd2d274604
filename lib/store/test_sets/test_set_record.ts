import { z } from "zod";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import { FINISH_REASONS } from "../../schemas/error_codes.ts";
import { TEST_OUTCOMES } from "../../schemas/test_run.ts";
import { bytesSchema } from "../values/chunks.ts";

const count = z.int().nonnegative();
const judge = z.object({ provider: z.enum(PROVIDER_IDS), model: z.string() });

/** A test set. Times in milliseconds, money in micro-USD. */
export const testSetRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  name: z.string(),
  agentId: z.string(),
  threshold: z.number(),
  judge: judge.optional(),
  budget: count,
  cases: count,
  /** Of all cases as JSON. */
  caseBytes: count,
  casesRevision: count,
  version: z.int().positive(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type TestSetRecord = z.infer<typeof testSetRecordSchema>;

export const testSetCountSchema = z.object({ v: z.literal(1), count });

/** A case. */
export const testCaseRecordSchema = z.object({
  v: z.literal(1),
  /** Its body as JSON, encrypted. */
  sealed: bytesSchema,
  /** Of that JSON. */
  bytes: count,
  createdAt: z.int(),
  updatedAt: z.int(),
  /** The hash of the visitor whose question it is; the case goes with what else is stored of them. */
  visitor: z.string().optional(),
});
export type TestCaseRecord = z.infer<typeof testCaseRecordSchema>;

/** A run of a test set, without its results. */
export const testRunRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  setId: z.uuid(),
  /** Only its results count: one that was resumed has another job than before. */
  jobId: z.uuid(),
  agentId: z.string(),
  version: z.int().positive(),
  casesRevision: count,
  threshold: z.number(),
  judge: judge.optional(),
  /** Whether a running one still has a process is in its job. */
  state: z.enum(["running", "done", "stopped", "out_of_budget"]),
  cases: count,
  passed: count,
  failed: count,
  errored: count,
  cost: count,
  latencyMs: count,
  budget: count,
  createdAt: z.int(),
  endedAt: z.int().optional(),
});
export type TestRunRecord = z.infer<typeof testRunRecordSchema>;

/** What became of one case. */
export const testResultRecordSchema = z.object({
  v: z.literal(1),
  caseId: z.string(),
  outcome: z.enum(TEST_OUTCOMES),
  cost: count,
  latencyMs: count,
  finishReason: z.enum(FINISH_REASONS),
  errorCode: z.string().optional(),
  /** The hash of the visitor whose conversation the case was made of. */
  visitor: z.string().optional(),
  /** Question, answer, calls and checks, encrypted. */
  sealed: bytesSchema,
});
export type TestResultRecord = z.infer<typeof testResultRecordSchema>;
