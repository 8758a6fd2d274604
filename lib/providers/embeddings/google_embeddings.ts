import { z } from "zod";
import { modelPath } from "../google/model_path.ts";
import type { EmbeddingProtocol } from "./embedding_protocol.ts";

const responseSchema = z.object({
  embeddings: z.array(z.object({ values: z.array(z.number()) })),
  usageMetadata: z.object({ promptTokenCount: z.int().nonnegative() }).optional().catch(undefined),
});

const TASKS = { passage: "RETRIEVAL_DOCUMENT", query: "RETRIEVAL_QUERY" } as const;

/** `batchEmbedContents`. */
export const googleEmbeddings: EmbeddingProtocol = {
  headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
  path: ({ model }) => `/${modelPath(model)}:batchEmbedContents`,
  body: ({ model, texts, purpose }) => ({
    requests: texts.map((text) => ({
      model: model.includes("/") ? model : `models/${model}`,
      content: { parts: [{ text }] },
      taskType: TASKS[purpose],
    })),
  }),
  parse(response) {
    const parsed = responseSchema.safeParse(response);
    if (!parsed.success) return undefined;
    const { embeddings, usageMetadata } = parsed.data;
    return {
      vectors: embeddings.map(({ values }) => values),
      inputTokens: usageMetadata?.promptTokenCount,
    };
  },
};
