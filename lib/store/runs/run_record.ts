import { z } from "zod";
import { FINISH_REASONS, STREAM_ERROR_CODES } from "../../schemas/error_codes.ts";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";

const microUsd = z.int().nonnegative();

/** Who begins a run: a backend with its key, a page with its session, or somebody at the playground. */
export const runSourceSchema = z.object({
  kind: z.enum(["key", "session", "user"]),
  /** Of the API key, the session or the dashboard's user. */
  id: z.string(),
});
export type RunSource = z.infer<typeof runSourceSchema>;

/** What is known of a run when it is let in. Times in milliseconds. */
export const runFactsSchema = z.object({
  runId: z.string(),
  tenant: z.string(),
  agentId: z.string(),
  agentVersion: z.int().positive(),
  conversationId: z.string(),
  source: runSourceSchema,
  /** Who is asked first; who answered is known at the end. */
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  startedAt: z.int(),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

/** One hop of a call that a tool made: no path, no header, no body of it. */
const egressCallSchema = z.object({
  host: z.string(),
  address: z.string().optional(),
  method: z.string(),
  status: z.int().optional(),
  bytes: z.int().nonnegative(),
  ms: z.number().nonnegative(),
  refused: z.string().optional(),
  hop: z.int().nonnegative(),
});

/** What else is known of a run at its end. */
export const runDetailsSchema = z.object({
  /** Messages of the conversation that did not fit into the model's context. */
  droppedMessages: z.int().positive(),
  /** Results of tools that did not fit whole. */
  cutResults: z.int().positive(),
  /** From the beginning to the first word, milliseconds. */
  firstTextMs: z.number().nonnegative(),
  /** What its tools reached, the first 100 calls. */
  egress: z.array(egressCallSchema),
  /** Which tools the model was not told of, and why. */
  notes: z.array(z.string()),
  /** The two before it, as they are stored: encrypted. */
  sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
}).partial();
export type RunDetails = z.infer<typeof runDetailsSchema>;

/** What one of several models did in a run. */
const modelShareSchema = z.object({
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  steps: z.int().nonnegative(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  /** By the vendor's word, micro-USD. */
  cost: microUsd,
});
export type ModelShare = z.infer<typeof modelShareSchema>;

/** `interrupted`: its process died. */
export const RUN_FINISHES = [...FINISH_REASONS, "interrupted"] as const;

/** The ends that count as errors. */
export const FAILED_FINISHES = ["error", "interrupted"] as const;

/** Whether a run that ended so counts as an error. */
export function isFailed(finishReason: typeof RUN_FINISHES[number]): boolean {
  return FAILED_FINISHES.some((one) => one === finishReason);
}

/** How a run ended. */
export const runEndSchema = z.object({
  /** Who answered first, where anybody did. */
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  steps: z.int().nonnegative(),
  toolCalls: z.int().nonnegative(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  /** Each model's part, where a fallback took over or an attempt of another was billed as well. */
  models: z.array(modelShareSchema).optional(),
  finishReason: z.enum(RUN_FINISHES),
  errorCode: z.enum(STREAM_ERROR_CODES).optional(),
  ...runDetailsSchema.shape,
});
export type RunEnd = z.infer<typeof runEndSchema>;

/** A run that is over: what happened and what it cost. */
export const runRecordSchema = runFactsSchema.extend(runEndSchema.shape).extend({
  v: z.literal(1),
  endedAt: z.int(),
  /** What was charged, micro-USD. */
  cost: microUsd,
  /** What the vendor reported beyond every limit, and nobody was charged for. */
  excess: microUsd,
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** A run whose process died: what it used is not known, so all it held is charged. */
export function interruptedEnd({ provider, model }: RunFacts): RunEnd {
  return {
    provider,
    model,
    steps: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    finishReason: "interrupted",
    errorCode: "run_interrupted",
  };
}
