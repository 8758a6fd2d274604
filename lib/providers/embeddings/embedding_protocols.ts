import { z } from "zod";
import { modelPath } from "../google/model_path.ts";

export interface EmbeddingRequest {
  model: string;
  texts: readonly string[];
  /** Some models embed a question differently from the passage that answers it. */
  purpose: "passage" | "query";
}

export interface Embeddings {
  /** One vector for each text, in order. */
  vectors: number[][];
  inputTokens: number | undefined;
}

export interface EmbeddingProtocol {
  headers(apiKey: string): Readonly<Record<string, string>>;
  /** Relative to the base URL. */
  path(request: EmbeddingRequest): string;
  body(request: EmbeddingRequest): unknown;
  /** Parses a response; `undefined` if it is invalid. Does not compare it with the request. */
  parse(response: unknown): Embeddings | undefined;
}

const openaiResponseSchema = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()) })),
  usage: z.object({ prompt_tokens: z.int().nonnegative() }).optional().catch(undefined),
});

/** `POST /embeddings`, which most compatible servers support. */
export const openaiEmbeddings: EmbeddingProtocol = {
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  path: () => "/embeddings",
  body: ({ model, texts }) => ({ model, input: texts, encoding_format: "float" }),
  parse(response) {
    const parsed = openaiResponseSchema.safeParse(response);
    if (!parsed.success) return undefined;
    const { data, usage } = parsed.data;
    const inOrder = data.toSorted((a, b) => a.index - b.index);
    return {
      vectors: inOrder.map(({ embedding }) => embedding),
      inputTokens: usage?.prompt_tokens,
    };
  },
};

const googleResponseSchema = z.object({
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
    const parsed = googleResponseSchema.safeParse(response);
    if (!parsed.success) return undefined;
    const { embeddings, usageMetadata } = parsed.data;
    return {
      vectors: embeddings.map(({ values }) => values),
      inputTokens: usageMetadata?.promptTokenCount,
    };
  },
};
