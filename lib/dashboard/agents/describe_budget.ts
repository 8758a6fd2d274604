interface BudgetEstimateInput {
  /** Of the chosen model; `undefined` while none is chosen. */
  price: { inputUsdPerMTok: number; outputUsdPerMTok: number } | undefined;
  promptLength: number;
  /** NaN if the typed text is not a number. */
  maxCostUsd: number;
  hardDailyUsd: number;
}

/** A typical message and answer without the system prompt; a rough estimate. */
const TYPICAL = { inputTokens: 400, outputTokens: 250, charactersPerToken: 4 };

/** Explains a cost limit in messages for the agent editor; empty without a price or limit. */
export function describeBudget(input: BudgetEstimateInput): string {
  const { price, maxCostUsd, hardDailyUsd } = input;
  if (price === undefined || !(maxCostUsd >= 0)) return "";
  const inputTokens = TYPICAL.inputTokens + input.promptLength / TYPICAL.charactersPerToken;
  const cost = (inputTokens * price.inputUsdPerMTok +
    TYPICAL.outputTokens * price.outputUsdPerMTok) / 1_000_000;
  if (cost === 0) return "This model is free: only the step and time limits apply.";
  const answer = `A typical answer from this model costs about ${usd(cost)}`;
  if (maxCostUsd < cost) return `${answer}, more than this limit: most answers would stop early.`;
  const [times, day] = [round(maxCostUsd / cost), round(hardDailyUsd / cost)];
  return `${answer}. This limit allows ${times} times that, for tools and long conversations; ` +
    `the daily limit of ${usd(hardDailyUsd)} pays for about ${day} messages.`;
}

/** Rounded to two significant digits, the accuracy of the estimate. */
function round(n: number): string {
  return Number(n.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 1 });
}

function usd(amount: number): string {
  return `$${Number(amount.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 8 })}`;
}
