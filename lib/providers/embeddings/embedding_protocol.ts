/** Texts to be put into numbers by which their meanings can be compared. */
export interface EmbeddingRequest {
  model: string;
  texts: readonly string[];
  /** Some models put a question elsewhere than the passage that answers it. */
  purpose: "passage" | "query";
}

/** One vector a text, in their order. */
export interface Embeddings {
  vectors: number[][];
  /** What the vendor says it has read; undefined where it does not say. */
  inputTokens: number | undefined;
}

/** How a vendor is asked for embeddings and how its answer is read. */
export interface EmbeddingProtocol {
  headers(apiKey: string): Readonly<Record<string, string>>;
  /** Below the slot's base URL. */
  path(request: EmbeddingRequest): string;
  /** To be sent as JSON. */
  body(request: EmbeddingRequest): unknown;
  /** Undefined for an answer that is none; whether it is the answer to this question is checked later. */
  parse(answer: unknown): Embeddings | undefined;
}
