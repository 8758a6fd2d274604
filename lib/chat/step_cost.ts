import { remainingOutputTokens } from "../agent/context_window.ts";
import type { CatalogueEntry } from "../store/providers/catalogue_store.ts";
import { costMicroUsd, type Price } from "../billing/money.ts";

/** What a step's cost depends on in the model that answers it. */
export type StepModel = Price & Pick<CatalogueEntry, "contextTokens" | "maxOutputTokens">;

/** A step about to be made: no model reads more than `inputTokens`, and `outputTokens` are asked for. */
export interface StepSize {
  inputTokens: number;
  /** Of all that is read. */
  inputBytes: number;
  outputTokens: number;
}

/** What one step can cost, micro-USD. */
export interface StepCost {
  /** With all the output asked for. */
  max: number;
  /** With a single token of output: below this the step cannot be made at all. */
  min: number;
}

/** What a step costs whichever of the models answers it. */
export function stepCost(models: readonly StepModel[], step: StepSize): StepCost {
  const { inputTokens } = step;
  const dearest = (outputOf: (model: StepModel) => number) =>
    Math.max(
      ...models.map((model) => costMicroUsd(model, { inputTokens, outputTokens: outputOf(model) })),
    );
  return { max: dearest((model) => outputLimit(model, step)), min: dearest(() => 1) };
}

/** How many tokens a model may write: no more than it can, nor than fits beside what it reads. */
export function outputLimit(
  { maxOutputTokens, contextTokens }: StepModel,
  { inputBytes, outputTokens }: StepSize,
): number {
  const wanted = Math.min(outputTokens, maxOutputTokens);
  return remainingOutputTokens({ contextTokens, maxOutputTokens: wanted }, inputBytes);
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
