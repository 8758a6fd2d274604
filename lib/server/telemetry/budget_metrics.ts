import { type BudgetUse, usedShare } from "../../billing/budget_use.ts";
import type { MetricRegistry } from "../../platform/metrics/metric_registry.ts";

/** Tenants with a separate series: those that have used the largest share of their limits. */
export const MAX_TENANTS = 20;

/** The label of a tenant: its id cannot be guessed from it without the store's key. */
export type TenantLabel = (tenant: string) => string;

/** How much of their daily cost limits tenants have used. One process reads it for all. */
export function addBudgetMetrics(
  registry: MetricRegistry,
  { read, label }: { read: () => Promise<BudgetUse[]>; label: TenantLabel },
): void {
  let reading: Promise<BudgetUse[]> | undefined;
  // Both metrics of one answer come from one reading.
  const readOnce = () => reading ??= read().finally(() => reading = undefined);
  registry.gauge({
    name: "agent_chat_daily_budget_used_ratio",
    help: "The largest share of its daily cost limit that any tenant has spent today, UTC.",
    read: async () => Math.max(0, ...(await readOnce()).map(usedShare)),
  });
  registry.gauge({
    name: "agent_chat_tenant_daily_budget_used_ratio",
    help: `The share that each of the ${MAX_TENANTS} tenants with the largest shares has spent.`,
    read: async () => largestShares(await readOnce(), label),
  });
}

function largestShares(used: readonly BudgetUse[], label: TenantLabel) {
  return [...used]
    .sort((a, b) => usedShare(b) - usedShare(a))
    .slice(0, MAX_TENANTS)
    .map((one) => ({ labels: { tenant: label(one.tenant) }, value: usedShare(one) }));
}
