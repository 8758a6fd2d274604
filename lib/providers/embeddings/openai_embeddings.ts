import { z } from "zod";
import type { EmbeddingProtocol } from "./embedding_protocol.ts";

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()) })),
  usage: z.object({ prompt_tokens: z.int().nonnegative() }).optional().catch(undefined),
});

/** `POST /embeddings`, which most compatible servers have as well. */
export const openaiEmbeddings: EmbeddingProtocol = {
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  path: () => "/embeddings",
  body: ({ model, texts }) => ({ model, input: texts, encoding_format: "float" }),
  parse(answer) {
    const parsed = answerSchema.safeParse(answer);
    if (!parsed.success) return undefined;
    const { data, usage } = parsed.data;
    const inOrder = data.toSorted((a, b) => a.index - b.index);
    return {
      vectors: inOrder.map(({ embedding }) => embedding),
      inputTokens: usage?.prompt_tokens,
    };
  },
};
