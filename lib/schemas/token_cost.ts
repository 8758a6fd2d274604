/** Price of tokens in USD per million equals micro-USD per token. An absent one is that of its side. */
export interface Price {
  inputUsdPerMTok: number;
  outputUsdPerMTok: number;
  /** Input tokens that the provider read from its cache. */
  cacheReadUsdPerMTok?: number | undefined;
  /** Input tokens that the provider wrote to its cache, for five minutes or by default. */
  cacheWriteUsdPerMTok?: number | undefined;
  /** Input tokens that the provider wrote to its cache for an hour. */
  cacheWrite1hUsdPerMTok?: number | undefined;
  /** Output tokens that are hidden reasoning. */
  reasoningUsdPerMTok?: number | undefined;
}

/** The tokens of a step. The optional counts are disjoint parts of the two totals. */
export interface TokenCounts {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  cacheWrite1hTokens?: number | undefined;
  reasoningTokens?: number | undefined;
}

/** A million USD in micro-USD: caps a step's cost, so that sums stay exact integers. */
const MAX_COST = 1_000_000_000_000;

/**
 * Cost in whole micro-USD, rounded up: the sum of steps is never less than the whole. The only place
 * that multiplies tokens by prices.
 */
export function costMicroUsd(price: Price, tokens: TokenCounts): number {
  const { inputUsdPerMTok: input, outputUsdPerMTok: output } = price;
  const exact = sideCost(tokens.inputTokens, input, [
    [tokens.cachedInputTokens, price.cacheReadUsdPerMTok],
    [tokens.cacheWriteTokens, price.cacheWriteUsdPerMTok],
    [tokens.cacheWrite1hTokens, price.cacheWrite1hUsdPerMTok],
  ]) + sideCost(tokens.outputTokens, output, [[tokens.reasoningTokens, price.reasoningUsdPerMTok]]);
  // Prices such as 0.15 are not exact in binary: allow for the error before rounding up.
  return Math.min(MAX_COST, Math.max(0, Math.ceil(exact - 1e-6)));
}

/**
 * The cost of one side. Parts that together exceed their total are a provider's mistake: then the whole
 * total has the highest price of the parts, so that a mistake never makes it cheaper.
 */
function sideCost(
  total: number,
  usdPerMTok: number,
  parts: readonly [tokens: number | undefined, usdPerMTok: number | undefined][],
): number {
  const present = parts.map(([tokens = 0, price = usdPerMTok]) => ({ tokens, price }))
    .filter(({ tokens }) => tokens > 0);
  const counted = present.reduce((sum, { tokens }) => sum + tokens, 0);
  if (counted > total) return total * Math.max(usdPerMTok, ...present.map(({ price }) => price));
  const ofParts = present.reduce((sum, { tokens, price }) => sum + tokens * price, 0);
  return (total - counted) * usdPerMTok + ofParts;
}

/** The highest price of each side: what may be reserved before the provider reports its parts. */
export function highestPrice(price: Price): Pick<Price, "inputUsdPerMTok" | "outputUsdPerMTok"> {
  const { inputUsdPerMTok: input, outputUsdPerMTok: output } = price;
  const { cacheReadUsdPerMTok, cacheWriteUsdPerMTok, cacheWrite1hUsdPerMTok } = price;
  const caching = [cacheReadUsdPerMTok, cacheWriteUsdPerMTok, cacheWrite1hUsdPerMTok];
  return {
    inputUsdPerMTok: Math.max(input, ...caching.map((one = 0) => one)),
    outputUsdPerMTok: Math.max(output, price.reasoningUsdPerMTok ?? 0),
  };
}

/**
 * What the provider's cache saved against the input price, after what writing to it cost more; negative
 * if that was more. Micro-USD.
 */
export function cacheSavingsMicroUsd(price: Price, tokens: TokenCounts): number {
  const { inputTokens, outputTokens, reasoningTokens } = tokens;
  return costMicroUsd(price, { inputTokens, outputTokens, reasoningTokens }) -
    costMicroUsd(price, tokens);
}
