import type { ReasoningEffort } from "../schemas/model_settings.ts";

/** The share of the output limit that a model may think, for protocols that take a number of tokens. */
const SHARES: Readonly<Record<ReasoningEffort, number>> = {
  minimal: 0,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
};

/** Tokens to think within `maxOutputTokens`, which is what was reserved: the rest is for the answer. */
export function thinkingBudget(
  effort: ReasoningEffort,
  { maxOutputTokens, min, max }: { maxOutputTokens: number; min: number; max: number },
): number {
  const share = Math.floor(maxOutputTokens * SHARES[effort]);
  return share === 0 ? 0 : Math.min(Math.max(share, min), max);
}
