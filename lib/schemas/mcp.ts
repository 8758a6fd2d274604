import { z } from "zod";
import { FINISH_REASONS } from "./error_codes.ts";
import { FIELD_BOUNDS, KNOWLEDGE_BOUNDS } from "./limits.ts";
import { passagesSchema, searchBodySchema } from "./knowledge.ts";
import { plainText } from "./plain_text.ts";
import { usdSchema } from "./value_schemas.ts";

/** Body of `POST /v1/mcp`: one JSON-RPC request or notification. Batches are no longer in MCP. */
export const mcpMessageSchema = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string().max(256), z.int()]).optional()
    .describe("Of a request; absent in a notification."),
  method: z.string().min(1).max(256),
  params: z.looseObject({}).optional(),
});
export type McpMessage = z.infer<typeof mcpMessageSchema>;

const message = plainText(z.string().min(1).max(FIELD_BOUNDS.messageLength))
  .describe("The question or task, with everything that the agent needs to know.");
const conversationId = z.uuid().toLowerCase().optional()
  .describe("The conversationId of an earlier result, to continue that conversation.");

/** Arguments of `ask_<agent>`. */
export const askInputSchema = z.strictObject({ message, conversationId });

/** Arguments of `ask_agent`. */
export const askAgentInputSchema = z.strictObject({
  agent: plainText(z.string().min(1).max(FIELD_BOUNDS.agentName))
    .describe("The agent's id, or its exact name."),
  message,
  conversationId,
});

/** Structured result of an answer. */
export const askOutputSchema = z.object({
  text: z.string().describe("The answer."),
  conversationId: z.uuid(),
  runId: z.uuid(),
  finishReason: z.enum(FINISH_REASONS),
  costUsd: usdSchema,
});
export type AskOutput = z.infer<typeof askOutputSchema>;

/** Arguments of `search_knowledge`. */
export const searchKnowledgeInputSchema = searchBodySchema.extend({
  knowledgeBase: plainText(z.string().min(1).max(KNOWLEDGE_BOUNDS.nameLength))
    .describe("The knowledge base's id, or its exact name."),
});
export const searchKnowledgeOutputSchema = passagesSchema;
