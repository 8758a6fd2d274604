import { z } from "zod";
import { REHEARSED_RUNS, rehearsedAnswerSchema } from "../../schemas/rehearsal.ts";
import { bytesSchema } from "../values/chunks.ts";

const count = z.int().nonnegative();
const sum = z.object({ cost: count, latencyMs: count });

/** A rehearsal without its runs. Times in milliseconds, money in micro-USD. */
export const rehearsalRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  agentId: z.string(),
  version: z.int().positive(),
  only: z.enum(REHEARSED_RUNS),
  /** Whether a running one still has a process is in its job. */
  state: z.enum(["running", "done", "stopped", "out_of_budget"]),
  runs: count,
  done: count,
  changed: count,
  changedSources: count,
  differingCalls: count,
  failed: count,
  before: sum,
  after: sum,
  budget: count,
  createdAt: z.int(),
  endedAt: z.int().optional(),
  exp: z.int(),
});
export type RehearsalRecord = z.infer<typeof rehearsalRecordSchema>;

/** One replayed run. */
export const rehearsedRunRecordSchema = z.object({
  v: z.literal(1),
  runId: z.string(),
  conversationId: z.string(),
  agentVersion: z.int().positive(),
  before: rehearsedAnswerSchema.omit({ text: true, calls: true, sources: true }),
  after: rehearsedAnswerSchema.omit({ text: true, calls: true, sources: true }),
  /** The question, and the words, calls and sources of both answers, encrypted. */
  sealed: bytesSchema,
  exp: z.int(),
});
export type RehearsedRunRecord = z.infer<typeof rehearsedRunRecordSchema>;

/** What is encrypted of a replayed run. */
export const rehearsedWordsSchema = z.object({
  question: z.string(),
  before: rehearsedAnswerSchema.pick({ text: true, calls: true, sources: true }),
  after: rehearsedAnswerSchema.pick({ text: true, calls: true, sources: true }),
});
export type RehearsedWords = z.infer<typeof rehearsedWordsSchema>;
