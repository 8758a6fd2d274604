/** What is known of an agent's cost while it is being edited. */
export interface BudgetEstimateInput {
  /** Of the chosen model; `undefined` while none is chosen. */
  price: { inputUsdPerMTok: number; outputUsdPerMTok: number } | undefined;
  /** Characters of the system prompt. */
  promptLength: number;
  /** NaN while it is no number. */
  maxCostUsd: number;
  /** Of the tenant's day. */
  hardDailyUsd: number;
}

/** What a visitor asks and is answered, without the prompt: rough, but the right order of size. */
const TYPICAL = { inputTokens: 400, outputTokens: 250, charactersPerToken: 4 };

/** What a budget means in messages, in words for the editor; empty where nothing can be said. */
export function describeBudget(facts: BudgetEstimateInput): string {
  const { price, maxCostUsd, hardDailyUsd } = facts;
  if (price === undefined || !(maxCostUsd >= 0)) return "";
  const cost = typicalCost(price, facts.promptLength);
  if (cost === 0) return "This model is free: only steps and time end an answer.";
  const answer = `A typical answer of this model costs about ${usd(cost)}`;
  if (maxCostUsd < cost) return `${answer}, more than this allows: most would be cut off.`;
  const times = round(maxCostUsd / cost);
  const day = round(hardDailyUsd / cost);
  return `${answer}. This allows ${times} times that, for tools and long conversations; ` +
    `a day's ${usd(hardDailyUsd)} pays for about ${day} messages.`;
}

function typicalCost(
  price: NonNullable<BudgetEstimateInput["price"]>,
  promptLength: number,
): number {
  const input = TYPICAL.inputTokens + promptLength / TYPICAL.charactersPerToken;
  const perMillion = input * price.inputUsdPerMTok + TYPICAL.outputTokens * price.outputUsdPerMTok;
  return perMillion / 1_000_000;
}

/** Two digits that count, because no more of them are known. */
function round(n: number): string {
  return Number(n.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 1 });
}

function usd(amount: number): string {
  return `$${Number(amount.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 8 })}`;
}
