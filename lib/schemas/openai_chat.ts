import { z } from "zod";
import type { ChatBody } from "./chat.ts";
import { FIELD_BOUNDS as B } from "./limits.ts";
import {
  foreignContentSchema,
  ignored,
  MAX_FOREIGN_MESSAGES,
  textOf,
  toChatMessages,
} from "./foreign_messages.ts";

const message = z.object({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: foreignContentSchema.nullish(),
}).describe("`tool` and `function` messages are skipped: the agent runs its own tools.");

/** A value that a client may send although only one is possible here. */
function only<T extends z.core.util.Literal>(value: T, why: string) {
  return z.literal(value, { error: why }).nullish();
}

const NO_TOOLS = "the agent has its own tools; the caller cannot add any";
const noTools = z.array(z.unknown()).max(0, NO_TOOLS).nullish();
const notSettable = (what: string) => `${what} cannot be set: the agent's settings decide`;

/** What requests of both formats share. */
export const openAiSettings = {
  model: z.string().min(1).max(64).describe("An agent's id, or `agent:<id>`."),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  tools: noTools,
  tool_choice: ignored,
  parallel_tool_calls: ignored,
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish()
    .describe("`conversation_id` groups stored runs."),
  top_p: only(1, notSettable("top_p")),
  user: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
  prompt_cache_retention: ignored,
  service_tier: ignored,
  store: ignored,
};

/** Body of `POST /v1/openai/chat/completions`. Source: package `openai` 7, `completions.ts`. */
export const openAiChatSchema = z.strictObject({
  ...openAiSettings,
  messages: z.array(message).min(1).max(MAX_FOREIGN_MESSAGES),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  n: only(1, "only one answer is given"),
  stop: z.union([z.literal(""), z.array(z.string()).max(0)], { error: notSettable("stop") })
    .nullish(),
  presence_penalty: only(0, notSettable("presence_penalty")),
  frequency_penalty: only(0, notSettable("frequency_penalty")),
  logit_bias: z.strictObject({}, { error: notSettable("logit_bias") }).nullish(),
  logprobs: only(false, "log probabilities are not available"),
  top_logprobs: only(0, "log probabilities are not available"),
  response_format: z.object({ type: z.literal("text", { error: "only text is supported" }) })
    .nullish(),
  modalities: z.array(z.literal("text", { error: "only text is supported" })).nullish(),
  audio: z.null({ error: "only text is supported" }).optional(),
  functions: noTools,
  function_call: ignored,
  seed: ignored,
  reasoning_effort: ignored,
  verbosity: ignored,
  prediction: ignored,
  web_search_options: ignored,
});
export type OpenAiChatBody = z.infer<typeof openAiChatSchema>;

/** The same message in our own format. */
export function fromOpenAiChat(body: OpenAiChatBody): ChatBody {
  const { messages, max_tokens, max_completion_tokens, temperature } = body;
  const spoken = messages.filter(({ role }) => role !== "tool" && role !== "function");
  return {
    agentId: agentOfModel(body.model),
    messages: toChatMessages(
      spoken.map(({ role, content }) => ({
        role: role === "user" || role === "assistant" ? role : "instructions",
        text: textOf(content),
      })),
      { path: "messages" },
    ),
    ...settingsOf({
      temperature,
      max: max_completion_tokens ?? max_tokens,
      metadata: body.metadata,
    }),
  };
}

/** `agent:<id>` is an alias for pickers that sort by a prefix. */
export function agentOfModel(model: string): string {
  return model.replace(/^agent:/, "").toLowerCase();
}

/** More tokens than an agent may give are asked for by default, so they are no error. */
export function settingsOf(
  { temperature, max, metadata }: {
    temperature: number | null | undefined;
    max: number | null | undefined;
    metadata: Readonly<Record<string, string>> | null | undefined;
  },
): Partial<ChatBody> {
  const conversationId = metadata?.conversation_id;
  return {
    ...typeof temperature === "number" && { temperature },
    ...typeof max === "number" && { maxOutputTokens: Math.min(max, B.maxOutputTokens) },
    ...conversationId !== undefined && { conversationId },
  };
}
