import { z } from "zod";
import { messageAttachmentSchema } from "./attachment.ts";
import { FINISH_REASONS, STREAM_ERROR_CODES } from "./error_codes.ts";
import {
  countSchema as count,
  jsonValueSchema,
  nextCursorSchema as nextCursor,
  pageSchema,
  usdSchema as usd,
} from "./value_schemas.ts";
import { CHAT_PROTOCOLS } from "./chat_protocol.ts";
import { CONVERSATION_SOURCES } from "./conversation_source.ts";
import { feedbackSchema } from "./feedback.ts";
import { guardrailHitSchema } from "./guardrails.ts";
import { handoffTranscriptSchema } from "./handoff.ts";
import { PROVIDER_IDS } from "./provider_id.ts";

export const conversationSchema = z.object({
  id: z.uuid().describe("The `conversationId` of its runs."),
  agentId: z.uuid(),
  origin: z.string().optional()
    .describe("The origin of its page; absent for calls with an API key."),
  source: z.enum(CONVERSATION_SOURCES).optional()
    .describe("Where it began; absent for conversations of early releases."),
  visitorId: z.string().optional().describe("The `visitor.id` that its sessions were minted with."),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().describe("When its last run ended."),
  expiresAt: z.iso.datetime().describe("When it is deleted, unless a run is added."),
  runCount: count.positive().describe("All runs, including expired ones."),
  costUsd: usd.describe("Cost of its runs, exact to a millionth."),
});

export const conversationPageSchema = pageSchema(conversationSchema, "Most recently active first.");

const transcriptMessageSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  attachments: z.array(messageAttachmentSchema).optional(),
  claimed: z.boolean()
    .describe("Sent by the client as an earlier message; the service has no record of it."),
});

const toolCallSchema = z.object({
  name: z.string(),
  args: jsonValueSchema,
  output: jsonValueSchema.optional().describe("Absent if the run ended earlier."),
});

export const conversationRunSchema = z.object({
  runId: z.uuid(),
  agentVersion: count.positive().describe("The agent's version."),
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  messages: z.array(transcriptMessageSchema)
    .describe("Claimed messages that were not stored yet, then the answered message."),
  text: z.string().describe("The assistant's answer."),
  toolCalls: z.array(toolCallSchema),
  unreadable: z.literal(true).optional().describe(
    "The messages cannot be decrypted, because the encryption key is missing or the record was " +
      "changed. `messages`, `text` and `toolCalls` are empty.",
  ),
  reasoning: z.string().optional().describe(
    "The beginning of what the models thought, as far as their providers show it: at most 16,384 " +
      "characters. No page of a visitor gets it. Absent for nothing.",
  ),
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count.optional()
    .describe("Input tokens that the provider read from its cache; absent for none."),
  cacheWriteTokens: count.optional()
    .describe("Input tokens that the provider wrote to its cache; absent for none."),
  reasoningTokens: count.optional()
    .describe("Output tokens that were hidden reasoning; absent for none."),
  costUsd: usd,
  finishReason: z.enum([...FINISH_REASONS, "interrupted"])
    .describe("`interrupted`: the process stopped; the text is what was stored before."),
  errorCode: z.enum(STREAM_ERROR_CODES).optional(),
  guardrails: z.array(guardrailHitSchema).optional()
    .describe("Which of the agent's guardrails acted, and how often; absent if none did."),
  protocol: z.enum(CHAT_PROTOCOLS).optional()
    .describe("The format that the message was sent in; absent for the service's own."),
  replaces: z.uuid().optional()
    .describe("The run whose answer was asked for again, or whose question was changed."),
  superseded: z.literal(true).optional().describe(
    "Not on the current path: this run was replaced, or it followed one that was. Absent otherwise.",
  ),
  feedback: feedbackSchema.optional()
    .describe("What the visitor thinks of the answer; absent if it is not rated."),
});

/** Answer of `GET /v1/conversations/:id`. */
export const transcriptSchema = conversationSchema.extend({
  runs: z.array(conversationRunSchema).describe("In the order in which they ended."),
  handoff: handoffTranscriptSchema.optional().describe(
    "What people and the visitor wrote to each other; on the first page, if anyone asked for a person.",
  ),
  nextCursor,
});

export type Conversation = z.infer<typeof conversationSchema>;
export type ConversationRun = z.infer<typeof conversationRunSchema>;
export type Transcript = z.infer<typeof transcriptSchema>;

/** By their names in the API document. */
export const CONVERSATION_SCHEMAS = {
  Conversation: conversationSchema,
  ConversationPage: conversationPageSchema,
  ConversationRun: conversationRunSchema,
  Transcript: transcriptSchema,
};
