/** Price of tokens in USD per million equals micro-USD per token. */
export type Price = { inputUsdPerMTok: number; outputUsdPerMTok: number };

/** A million USD in micro-USD: caps a step's cost, so that sums stay exact integers. */
const MAX_COST = 1_000_000_000_000;

/** Cost in whole micro-USD, rounded up: the sum of steps is never less than the whole. */
export function costMicroUsd(
  price: Price,
  tokens: { inputTokens: number; outputTokens: number },
): number {
  const exact = tokens.inputTokens * price.inputUsdPerMTok +
    tokens.outputTokens * price.outputUsdPerMTok;
  // Prices such as 0.15 are not exact in binary: allow for the error before rounding up.
  return Math.min(MAX_COST, Math.max(0, Math.ceil(exact - 1e-6)));
}

/** Micro-USD as USD, for the API. */
export function toUsd(microUsd: number): number {
  return microUsd / 1_000_000;
}

/** USD as whole micro-USD, rounded down: never more than the given budget. */
export function toMicroUsd(usd: number): number {
  return Math.floor(usd * 1_000_000 + 1e-6);
}
