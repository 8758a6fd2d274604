import { z } from "zod";

const count = z.int().nonnegative();

/** Parts of token counts that have their own prices. Absent ones are 0, or of an early release. */
export const tokenPartsSchema = z.object({
  /** Input tokens that the provider read from a cache. */
  cachedInputTokens: count,
  /** Input tokens that it wrote to a cache. */
  cacheWriteTokens: count,
  /** Output tokens that were hidden reasoning. */
  reasoningTokens: count,
  /** What the cache saved against the input price, micro-USD; negative if writing cost more. */
  cacheSavings: z.int(),
}).partial();
export type TokenParts = z.infer<typeof tokenPartsSchema>;

const NAMES = ["cachedInputTokens", "cacheWriteTokens", "reasoningTokens", "cacheSavings"] as const;

/** The sum of two counts' parts. A part that is 0 is absent: most providers and models have none. */
export function sumTokenParts(a: TokenParts, b: TokenParts): TokenParts {
  const sums = NAMES.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)] as const);
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0));
}

/** Adds parts to a count in place. */
export function addTokenParts(to: TokenParts, parts: TokenParts): void {
  const sums = sumTokenParts(to, parts);
  // A part that is 0 now must not keep its former value.
  for (const name of NAMES) delete to[name];
  Object.assign(to, sums);
}
