export interface EmbeddingRequest {
  model: string;
  texts: readonly string[];
  /** Some models embed a question differently from the passage that answers it. */
  purpose: "passage" | "query";
}

export interface Embeddings {
  /** One vector for each text, in order. */
  vectors: number[][];
  /** The usage that the provider reported. */
  inputTokens: number | undefined;
}

/** A wire protocol for embedding models. */
export interface EmbeddingProtocol {
  headers(apiKey: string): Readonly<Record<string, string>>;
  /** Relative to the base URL. */
  path(request: EmbeddingRequest): string;
  /** The body, to be sent as JSON. */
  body(request: EmbeddingRequest): unknown;
  /** Parses a response; `undefined` if it is invalid. Does not compare it with the request. */
  parse(response: unknown): Embeddings | undefined;
}
