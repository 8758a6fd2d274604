import type { Charge } from "../billing/decide_settlement.ts";
import type { RunEnd } from "../store/runs/run_record.ts";
import type { Price } from "../billing/money.ts";

/** What one run's bill came to. */
export interface BilledRun {
  end: RunEnd;
  price: Price;
  /** By the vendors' word, micro-USD. */
  cost: number;
  charge: Charge;
}

/**
 * Why an operator should look at a run's bill; nothing for one that adds up. Both ways a vendor's own
 * invoice can differ from what was charged here: it counted more than every limit, or an answer of a
 * priced model for nothing.
 */
export function billingAnomaly({ end, price, cost, charge }: BilledRun): string | undefined {
  if (charge.excess > 0) return "a run cost more than its limits, and the rest was not charged";
  const isPriced = price.inputUsdPerMTok > 0 || price.outputUsdPerMTok > 0;
  const answered = end.inputTokens + end.outputTokens + end.toolCalls > 0 ||
    end.firstTextMs !== undefined;
  if (isPriced && answered && cost === 0) return "a priced model answered at no cost";
  return undefined;
}
