/** Bytes that make a token at least, in prose of any script; a guess that errs on the short side. */
const BYTES_PER_TOKEN = 3;

/** What a model can take in one request. */
export interface ContextRoom {
  contextTokens: number;
  /** Kept free for its answer. */
  outputTokens: number;
}

/** How many bytes of prompt, tools and messages fit beside the answer. */
export function roomBytes({ contextTokens, outputTokens }: ContextRoom): number {
  return (contextTokens - outputTokens) * BYTES_PER_TOKEN;
}
