import {
  type CanaryLimits,
  MIN_CANARY_RATINGS,
  type RollbackReason,
} from "../../schemas/publication.ts";
import type { CanaryCounts } from "../../store/agents/canary_counts.ts";

/** Returns the limit that a canary exceeds; `undefined` if it may continue. */
export function canaryVerdict(
  { canary, published }: CanaryCounts,
  { minAnswers, errorPercent, downPercent, costPercent }: CanaryLimits,
): RollbackReason | undefined {
  const { answers, errors, cost, up, down } = canary;
  const rated = up + down;
  if (
    downPercent !== undefined && rated >= MIN_CANARY_RATINGS && 100 * down > downPercent * rated
  ) {
    return "ratings";
  }
  if (answers < minAnswers) return undefined;
  if (100 * errors > errorPercent * answers) return "errors";
  // Both averages must be of something: one answer may cost a lot.
  if (costPercent === undefined || published.answers < minAnswers || published.cost === 0) {
    return undefined;
  }
  const isDearer = 100 * cost * published.answers > costPercent * published.cost * answers;
  return isDearer ? "cost" : undefined;
}
