import { remainingOutputTokens } from "../../agent/context_window.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import { costMicroUsd, highestPrice, type Price } from "../../schemas/token_cost.ts";

/** The properties of a model that determine a step's cost. */
export type StepModel = Price & Pick<CatalogueEntry, "contextTokens" | "maxOutputTokens">;

/** The size of a planned step; the models read at most `inputTokens`. */
export interface StepSize {
  inputTokens: number;
  /** The size of the whole input. */
  inputBytes: number;
  outputTokens: number;
}

/** What one step can cost, micro-USD. */
export interface StepCost {
  /** With the full output. */
  max: number;
  /** With a single token of output, without which the step is pointless. */
  min: number;
}

/**
 * The most that a step can cost with whichever of the models answers it, and whatever its provider reads
 * from a cache, writes to one, or counts as reasoning.
 */
export function stepCost(models: readonly StepModel[], step: StepSize): StepCost {
  const { inputTokens } = step;
  const highest = (outputOf: (model: StepModel) => number) =>
    Math.max(
      ...models.map((model) =>
        costMicroUsd(highestPrice(model), { inputTokens, outputTokens: outputOf(model) })
      ),
    );
  return { max: highest((model) => outputLimit(model, step)), min: highest(() => 1) };
}

/** The most tokens a model may write: its own limit, or what the context leaves. */
export function outputLimit(
  { maxOutputTokens, contextTokens }: StepModel,
  { inputBytes, outputTokens }: StepSize,
): number {
  const wanted = Math.min(outputTokens, maxOutputTokens);
  return remainingOutputTokens({ contextTokens, maxOutputTokens: wanted }, inputBytes);
}

/** The output tokens that `hold` (micro-USD) pays for after the input; at most `wanted`. */
export function affordableOutput(
  price: Price,
  { hold, inputTokens, wanted }: { hold: number; inputTokens: number; wanted: number },
): number {
  const { inputUsdPerMTok, outputUsdPerMTok } = highestPrice(price);
  if (outputUsdPerMTok === 0) return wanted;
  const left = hold - inputTokens * inputUsdPerMTok;
  // Prices are not exact in binary: allow for the error before rounding down.
  const affordable = Math.floor(left / outputUsdPerMTok + 1e-9);
  return Math.max(1, Math.min(wanted, affordable));
}

/** The input tokens that `hold` (micro-USD) pays for beside an answer; at least 0. */
export function affordableInputTokens(
  price: Price,
  { hold, outputTokens }: { hold: number; outputTokens: number },
): number {
  const { inputUsdPerMTok, outputUsdPerMTok } = highestPrice(price);
  const left = hold - outputTokens * outputUsdPerMTok;
  if (inputUsdPerMTok === 0) return left < 0 ? 0 : Number.MAX_SAFE_INTEGER;
  return Math.max(0, Math.floor(left / inputUsdPerMTok));
}
