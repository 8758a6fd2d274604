import { costMicroUsd, type Price } from "./money.ts";

/** What one step can cost, micro-USD. */
export interface StepCost {
  /** With all the output asked for. */
  most: number;
  /** With a single token of output: below this the step cannot be made at all. */
  least: number;
}

/** What a step costs whichever of the models answers it. */
export function stepCost(
  models: readonly Price[],
  { inputTokens, outputTokens }: { inputTokens: number; outputTokens: number },
): StepCost {
  const dearest = (tokens: number) =>
    Math.max(...models.map((model) => costMicroUsd(model, { inputTokens, outputTokens: tokens })));
  return { most: dearest(outputTokens), least: dearest(1) };
}

/** How many tokens of output `hold` (micro-USD) pays for after the input; at most `wanted`. */
export function affordableOutput(
  price: Price,
  { hold, inputTokens, wanted }: { hold: number; inputTokens: number; wanted: number },
): number {
  if (price.outputUsdPerMTok === 0) return wanted;
  const left = hold - inputTokens * price.inputUsdPerMTok;
  // A hair below a whole number is that number: prices are not exact in binary.
  const affordable = Math.floor(left / price.outputUsdPerMTok + 1e-9);
  return Math.max(1, Math.min(wanted, affordable));
}
