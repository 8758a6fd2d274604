import type { ModelShare } from "../../store/runs/run_record.ts";

/** A provider that reports more than it had announced is not paid beyond what was set aside. */
export function cutCost<T extends { cost: number; shares: ModelShare[] }>(
  result: T,
  maxCost: number,
): T {
  if (result.cost <= maxCost) return result;
  let left = maxCost;
  const shares = result.shares.map((share) => {
    const cost = Math.min(share.cost, left);
    left -= cost;
    return { ...share, cost };
  });
  return { ...result, cost: maxCost, shares };
}
