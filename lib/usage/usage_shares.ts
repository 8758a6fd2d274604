import { isFailed, type RunRecord } from "./run_record.ts";
import type { Usage } from "./usage_rows.ts";

/** What a run adds to the row of one model. */
export interface ModelUsageShare extends Usage, Pick<RunRecord, "provider" | "model"> {}

/**
 * A run's usage by model. The run counts once, for the model that its `start` named; what it was
 * charged is the sum of the shares, to the micro-USD, also where a limit kept it below their cost.
 */
export function usageShares(run: RunRecord): readonly ModelUsageShare[] {
  const failed = isFailed(run.finishReason) ? 1 : 0;
  if (run.models === undefined) return [{ ...run, runs: 1, failed }];
  let left = run.cost;
  const shares = run.models.map((share) => {
    const cost = Math.min(share.cost, left);
    left -= cost;
    const runs = isOf(run, share) ? 1 : 0;
    return { ...share, cost, runs, failed: failed * runs };
  });
  if (left === 0 && shares.some(({ runs }) => runs === 1)) return shares;
  const { provider, model } = run;
  const runs = shares.some((share) => share.runs === 1) ? 0 : 1;
  const rest = { runs, failed: failed * runs, inputTokens: 0, outputTokens: 0, cost: left };
  return [...shares, { provider, model, ...rest }];
}

function isOf(run: RunRecord, share: Pick<RunRecord, "provider" | "model">): boolean {
  return run.provider === share.provider && run.model === share.model;
}
