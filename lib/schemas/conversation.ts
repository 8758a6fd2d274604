import { z } from "zod";
import { FINISH_REASONS, STREAM_ERROR_CODES } from "./error_codes.ts";
import { jsonValueSchema } from "./json_value.ts";
import { PROVIDER_IDS } from "./provider_id.ts";

const count = z.int().nonnegative();
const usd = z.number().nonnegative();
const nextCursor = z.string().optional().describe(
  "For `cursor` of the next page; absent on the last.",
);

/** A conversation without what was said in it. */
export const conversationSchema = z.object({
  id: z.uuid().describe("The `conversationId` of its runs."),
  agentId: z.uuid(),
  origin: z.string().optional().describe(
    "The page it is held on; absent for calls with an API key.",
  ),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().describe("When its last run ended."),
  expiresAt: z.iso.datetime().describe("When it goes, unless a run is added."),
  runCount: count.positive().describe("Runs so far, those that have expired included."),
  costUsd: usd.describe("What they were charged, exact to a millionth."),
});

/** One page of `GET /v1/conversations`. */
export const conversationPageSchema = z.object({
  data: z.array(conversationSchema).describe("Those last added to first."),
  nextCursor,
});

const transcriptMessageSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  claimed: z.boolean().describe(
    "The client says that this was said before; the service did not witness it.",
  ),
});

const toolCallSchema = z.object({
  name: z.string(),
  args: jsonValueSchema,
  output: jsonValueSchema.optional().describe("Absent when the run ended before."),
});

/** One message, what answered it, and what that took. */
export const conversationRunSchema = z.object({
  runId: z.uuid(),
  agentVersion: count.positive().describe("The version of the agent that answered."),
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  messages: z.array(transcriptMessageSchema).describe(
    "Claimed messages that were not stored yet; last the message that was answered.",
  ),
  text: z.string().describe("What the assistant said."),
  toolCalls: z.array(toolCallSchema),
  unreadable: z.literal(true).optional().describe(
    "What was said cannot be decrypted: its encryption key is missing, or it was changed. Then " +
      "`messages`, `text` and `toolCalls` are empty.",
  ),
  inputTokens: count,
  outputTokens: count,
  costUsd: usd,
  finishReason: z.enum([...FINISH_REASONS, "interrupted"]).describe(
    "`interrupted`: the process that ran it died; the text is what was stored by then.",
  ),
  errorCode: z.enum(STREAM_ERROR_CODES).optional(),
});

/** Answer of `GET /v1/conversations/:id`. */
export const transcriptSchema = conversationSchema.extend({
  runs: z.array(conversationRunSchema).describe("In the order they ended."),
  nextCursor,
});

export type Conversation = z.infer<typeof conversationSchema>;
export type ConversationRun = z.infer<typeof conversationRunSchema>;
export type Transcript = z.infer<typeof transcriptSchema>;
