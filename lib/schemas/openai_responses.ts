import { z } from "zod";
import type { ChatBody, ChatMessage } from "./chat.ts";
import {
  foreignContentSchema,
  type ForeignMessage,
  ignored,
  MAX_FOREIGN_MESSAGES,
  textOf,
  toChatMessages,
} from "./foreign_messages.ts";
import { agentOfModel, openAiSettings, settingsOf } from "./openai_chat.ts";

const inputMessage = z.object({
  type: z.literal("message").optional(),
  role: z.enum(["user", "assistant", "system", "developer"]),
  content: foreignContentSchema,
});
/** Items of earlier answers that have no words. */
const skippedItem = z.object({
  type: z.enum([
    "reasoning",
    "mcp_call",
    "mcp_list_tools",
    "file_search_call",
    "web_search_call",
    "function_call",
    "function_call_output",
  ]),
});

/** Body of `POST /v1/openai/responses`. Source: package `openai` 7, `responses.ts`; openresponses.org. */
export const openAiResponsesSchema = z.strictObject({
  ...openAiSettings,
  input: z.union([
    z.string().min(1),
    z.array(z.union([inputMessage, skippedItem])).min(1).max(MAX_FOREIGN_MESSAGES),
  ]),
  instructions: z.string().max(32_000).nullish()
    .describe("Passed to the agent with the message; they do not replace its prompt."),
  previous_response_id: z.string().max(128).nullish()
    .describe("Continues the conversation of that response, which must be stored."),
  conversation: z.null({ error: "use previous_response_id" }).optional(),
  max_output_tokens: z.int().min(1).nullish(),
  text: z.object({
    format: z.object({ type: z.literal("text", { error: "only text is supported" }) }).nullish(),
    verbosity: ignored,
  }).nullish(),
  background: z.literal(false, { error: "responses are not run in the background" }).nullish(),
  reasoning: ignored,
  truncation: ignored,
  include: ignored,
  max_tool_calls: ignored,
  top_logprobs: z.literal(0, { error: "log probabilities are not available" }).nullish(),
  stream_options: ignored,
  prompt: z.null({ error: "stored prompts are not supported" }).optional(),
  context_management: ignored,
});
export type OpenAiResponsesBody = z.infer<typeof openAiResponsesSchema>;

/** The same message in our own format, after the messages of the conversation that it continues. */
export function fromOpenAiResponses(
  body: OpenAiResponsesBody,
  earlier: { messages: readonly ChatMessage[]; conversationId?: string | undefined },
): ChatBody {
  const { instructions, input, temperature, max_output_tokens: max, metadata } = body;
  const foreign: ForeignMessage[] = [
    ...earlier.messages.map(({ role, content: text }) => ({ role, text })),
    ...instructions ? [{ role: "instructions" as const, text: instructions }] : [],
    ...typeof input === "string"
      ? [{ role: "user" as const, text: input }]
      : input.flatMap(wordsOf),
  ];
  return {
    agentId: agentOfModel(body.model),
    messages: toChatMessages(foreign, { path: "input" }),
    ...settingsOf({ temperature, max, metadata }),
    ...earlier.conversationId !== undefined && { conversationId: earlier.conversationId },
  };
}

function wordsOf(
  item: z.infer<typeof inputMessage> | z.infer<typeof skippedItem>,
): ForeignMessage[] {
  if (!("role" in item)) return [];
  const { role, content } = item;
  const isSpoken = role === "user" || role === "assistant";
  return [{ role: isSpoken ? role : "instructions", text: textOf(content) }];
}
