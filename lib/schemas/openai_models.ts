import { z } from "zod";

/** An agent in the form of a model of OpenAI's API. */
export const openAiModelSchema = z.object({
  id: z.uuid().describe("The agent's id, to be sent as `model`."),
  object: z.literal("model"),
  created: z.int().describe("Unix seconds."),
  owned_by: z.string(),
  name: z.string().describe("The agent's name, which several clients show."),
});
export type OpenAiModel = z.infer<typeof openAiModelSchema>;

export const openAiModelListSchema = z.object({
  object: z.literal("list"),
  data: z.array(openAiModelSchema).describe("The newest agents, at most 1,000."),
});
