import type { Price } from "../../schemas/token_cost.ts";
import type { Charge } from "../../billing/decide_settlement.ts";
import type { RunEnd } from "../../store/runs/run_record.ts";

export interface BilledRun {
  end: RunEnd;
  price: Price;
  /** As reported by the providers, micro-USD. */
  cost: number;
  charge: Charge;
}

/**
 * Why an operator should check a run's charge; `undefined` if it is plausible. A provider's invoice can
 * differ in two ways: it reported more than every limit, or a priced model's answer at no cost.
 */
export function billingAnomaly({ end, price, cost, charge }: BilledRun): string | undefined {
  if (charge.excess > 0) return "a run cost more than its limits, and the rest was not charged";
  const isPriced = price.inputUsdPerMTok > 0 || price.outputUsdPerMTok > 0;
  const answered = end.inputTokens + end.outputTokens + end.toolCalls > 0 ||
    end.firstTextMs !== undefined;
  if (isPriced && answered && cost === 0) return "a priced model answered at no cost";
  return undefined;
}
