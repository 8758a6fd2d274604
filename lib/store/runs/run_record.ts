import { z } from "zod";
import { FINISH_REASONS, STREAM_ERROR_CODES } from "../../schemas/error_codes.ts";
import { CHAT_PROTOCOLS } from "../../schemas/chat_protocol.ts";
import type { ConversationSource } from "../../schemas/conversation_source.ts";
import { COVERAGES } from "../../schemas/coverage.ts";
import { guardrailHitSchema } from "../../schemas/guardrails.ts";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import { CANARY_ARMS } from "../../schemas/publication.ts";
import { bytesSchema } from "../values/chunks.ts";
import { tokenPartsSchema } from "./token_parts.ts";

const microUsd = z.int().nonnegative();

/** Who starts a run: a backend with its key, a page with its session, or a user of the playground. */
export const runSourceSchema = z.object({
  kind: z.enum(["key", "session", "user"]),
  /** The id of the API key, the session or the dashboard user. */
  id: z.string(),
  /** Where its session is used, if not on a site: on the agent's shared page or in the playground. */
  place: z.enum(["share", "playground"]).optional(),
  /** The format of the request; absent for our own. */
  protocol: z.enum(CHAT_PROTOCOLS).optional(),
});
export type RunSource = z.infer<typeof runSourceSchema>;

export function conversationSource({ kind, place }: RunSource): ConversationSource {
  if (kind === "session") return place ?? "widget";
  return kind === "key" ? "api" : "playground";
}

/** The run that another one replaces: its id, and its number in their conversation. */
const replacedRunSchema = z.object({ runId: z.string(), n: z.int().nonnegative() });
export type ReplacedRun = z.infer<typeof replacedRunSchema>;

/** The canary that divides the conversations of an agent, and the version that one of them got. */
export const canaryArmSchema = z.object({ id: z.string(), arm: z.enum(CANARY_ARMS) });

const runCanarySchema = canaryArmSchema.extend({
  /** It is the first run of its conversation. */
  first: z.literal(true).optional(),
});
export type RunCanary = z.infer<typeof runCanarySchema>;

/** The facts of a run at its admission. Times in milliseconds. */
export const runFactsSchema = z.object({
  runId: z.string(),
  tenant: z.string(),
  agentId: z.string(),
  agentVersion: z.int().positive(),
  conversationId: z.string(),
  source: runSourceSchema,
  /** The hash of the session's visitor, as in `VisitorIds`; absent without one. */
  visitor: z.string().optional(),
  /** The first model to try; the end names the one that answered. */
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  startedAt: z.int(),
  /** Its message asks again for that run's answer, or changes its question. */
  replaces: replacedRunSchema.optional(),
  /** The agent's own retention, days; absent if that of the plan applies. */
  retentionDays: z.int().nonnegative().optional(),
  canary: runCanarySchema.optional(),
  /** The W3C trace context of the run, if traces are collected. */
  traceparent: z.string().optional(),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

/** One hop of a tool's HTTP call, without path, headers and body. */
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

/** An agent that was asked for an answer: its steps and cost (micro-USD), with those of agents below it. */
const askedAgentSchema = z.object({
  agentId: z.string(),
  steps: z.int().nonnegative(),
  cost: microUsd,
  finishReason: z.enum(FINISH_REASONS),
  /** The tools that it called, in order. */
  tools: z.array(z.string()),
});
export type AskedAgent = z.infer<typeof askedAgentSchema>;

/** Optional details of a run's end. */
export const runDetailsSchema = z.object({
  /** Messages that did not fit into the model's context window. */
  droppedMessages: z.int().positive(),
  /** Tool results that were truncated. */
  cutResults: z.int().positive(),
  /** Time to the first text, milliseconds. */
  firstTextMs: z.number().nonnegative(),
  /** How long its first tool calls took, in their order, milliseconds. */
  toolMs: z.array(z.number().nonnegative()).max(1_000),
  /** The part of the budget because of which the model was asked to finish. */
  askedToFinish: z.enum(["max_steps", "max_cost", "timeout"]),
  /** The first 100 HTTP calls of its tools. */
  egress: z.array(egressCallSchema),
  /** Tools that were not offered to the model, and why. */
  notes: z.array(z.string()),
  /** How much the best search of the agent's knowledge base found. */
  coverage: z.enum(COVERAGES),
  /** Which guardrails acted, and how often. */
  guardrails: z.array(guardrailHitSchema),
  /** The first agents that were asked. */
  asked: z.array(askedAgentSchema),
  /** The stored form of `egress`, `notes` and `asked`: encrypted. */
  sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
}).partial();
export type RunDetails = z.infer<typeof runDetailsSchema>;

/** The share of one of several models in a run. */
const modelShareSchema = z.object({
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  steps: z.int().nonnegative(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  ...tokenPartsSchema.shape,
  /** As reported by the provider, micro-USD. */
  cost: microUsd,
});
export type ModelShare = z.infer<typeof modelShareSchema>;

/** How long the record of a run without a stored conversation is stored. */
export const RUN_RETENTION_MS = 90 * 86_400_000;

const DAY_MS = 86_400_000;

/** True for a run of an agent that keeps nothing of what is said. */
export function keepsNothing({ retentionDays }: Pick<RunFacts, "retentionDays">): boolean {
  return retentionDays === 0;
}

/**
 * How long the record of a run without a stored conversation is stored, milliseconds. One that keeps
 * nothing has a record without content for a day: a message that is repeated under its `Idempotency-Key`
 * must not run twice.
 */
export function unstoredRunRetention({ retentionDays }: Pick<RunFacts, "retentionDays">): number {
  if (retentionDays === undefined) return RUN_RETENTION_MS;
  return Math.min(Math.max(1, retentionDays) * DAY_MS, RUN_RETENTION_MS);
}

/** `interrupted`: the owner process died. */
export const RUN_FINISHES = [...FINISH_REASONS, "interrupted"] as const;

/** The finishes that count as errors. */
export const FAILED_FINISHES = ["error", "interrupted"] as const;

export function isFailed(finishReason: typeof RUN_FINISHES[number]): boolean {
  return FAILED_FINISHES.some((one) => one === finishReason);
}

export const runEndSchema = z.object({
  /** The model that answered first; without an answer, the first that was tried. */
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  steps: z.int().nonnegative(),
  toolCalls: z.int().nonnegative(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  ...tokenPartsSchema.shape,
  /** The shares of all models, if a fallback took over or another attempt was billed. */
  models: z.array(modelShareSchema).optional(),
  finishReason: z.enum(RUN_FINISHES),
  errorCode: z.enum(STREAM_ERROR_CODES).optional(),
  ...runDetailsSchema.shape,
});
export type RunEnd = z.infer<typeof runEndSchema>;

/** A settled run with its cost. */
export const runRecordSchema = runFactsSchema.extend(runEndSchema.shape).extend({
  v: z.literal(1),
  endedAt: z.int(),
  /** The amount charged, micro-USD. */
  cost: microUsd,
  /** The reported cost beyond all limits, which is not charged, micro-USD. */
  excess: microUsd,
  /** The `page` of its stored conversation, as in `ConversationName`; absent without one. */
  page: z.string().optional(),
  /** Its number in that conversation; absent in records of early releases. */
  n: z.int().nonnegative().optional(),
  /** The end of life, whatever the store still holds; absent in records of early releases. */
  exp: z.int().optional(),
  /** The signed head of its frames, encrypted; absent in records of early releases. */
  seal: bytesSchema.optional(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** The end of a run whose process died. Its usage is unknown, so its whole hold is charged. */
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
