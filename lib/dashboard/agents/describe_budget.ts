import { costMicroUsd } from "../../schemas/token_cost.ts";
import { perLanguage, t } from "../texts/translate.ts";

interface BudgetEstimateInput {
  /** Of the chosen model; `undefined` while none is chosen. */
  price: { inputUsdPerMTok: number; outputUsdPerMTok: number } | undefined;
  promptLength: number;
  /** NaN if the typed text is not a number. */
  maxCostUsd: number;
  hardDailyUsd: number;
}

const tenths = perLanguage((language) =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
);
const smallUsd = perLanguage((language) =>
  new Intl.NumberFormat(language, {
    ...{ style: "currency", currency: "USD" },
    ...{ minimumFractionDigits: 0, maximumFractionDigits: 8 },
  })
);

/** A typical message and answer without the system prompt; a rough estimate. */
const TYPICAL = { inputTokens: 400, outputTokens: 250, charactersPerToken: 4 };

/** Explains a cost limit in messages for the agent editor; empty without a price or limit. */
export function describeBudget(input: BudgetEstimateInput): string {
  const { price, maxCostUsd, hardDailyUsd } = input;
  if (price === undefined || !(maxCostUsd >= 0)) return "";
  const inputTokens = TYPICAL.inputTokens + input.promptLength / TYPICAL.charactersPerToken;
  const { outputTokens } = TYPICAL;
  const cost = costMicroUsd(price, { inputTokens, outputTokens }) / 1_000_000;
  if (cost === 0) return t("This model is free: only the step and time limits apply.");
  if (maxCostUsd < cost) {
    return t(
      "A typical answer from this model costs about {cost}, more than this limit: most answers would stop early.",
      { cost: usd(cost) },
    );
  }
  return t(
    "A typical answer from this model costs about {cost}. This limit allows {times} times that, for tools and long conversations; the daily limit of {limit} pays for about {messages} messages.",
    {
      cost: usd(cost),
      times: round(maxCostUsd / cost),
      limit: usd(hardDailyUsd),
      messages: round(hardDailyUsd / cost),
    },
  );
}

/** Rounded to two significant digits, the accuracy of the estimate. */
function round(n: number): string {
  return tenths().format(Number(n.toPrecision(2)));
}

function usd(amount: number): string {
  return smallUsd().format(Number(amount.toPrecision(2)));
}
