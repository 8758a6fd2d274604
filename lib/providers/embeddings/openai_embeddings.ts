import { z } from "zod";
import type { EmbeddingProtocol } from "./embedding_protocol.ts";

const responseSchema = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()) })),
  usage: z.object({ prompt_tokens: z.int().nonnegative() }).optional().catch(undefined),
});

/** `POST /embeddings`, which most compatible servers support. */
export const openaiEmbeddings: EmbeddingProtocol = {
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  path: () => "/embeddings",
  body: ({ model, texts }) => ({ model, input: texts, encoding_format: "float" }),
  parse(response) {
    const parsed = responseSchema.safeParse(response);
    if (!parsed.success) return undefined;
    const { data, usage } = parsed.data;
    const inOrder = data.toSorted((a, b) => a.index - b.index);
    return {
      vectors: inOrder.map(({ embedding }) => embedding),
      inputTokens: usage?.prompt_tokens,
    };
  },
};
